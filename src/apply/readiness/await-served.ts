import { at, isObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/** Whether a change defines a kind of its own. */
export function definesKind(object: KubeObject): boolean {
  return object.kind === "CustomResourceDefinition";
}

/** `group/Kind` */
export function kindDefinedBy(definition: KubeObject): string {
  const group = textAt(definition, "spec", "group") ?? "";
  return `${group}/${textAt(definition, "spec", "names", "kind") ?? ""}`;
}

/** The same of every kind that the plan defines, so that their first objects are given a moment. */
export function kindsDefinedBy(changes: readonly Change[]): ReadonlySet<string> {
  const definitions = changes.filter((c) => definesKind(c.desired) && c.action !== "unchanged");
  return new Set(definitions.map(({ desired }) => kindDefinedBy(desired)));
}

/**
 * Discovery follows the Established condition of a CRD by a moment. Waits for it, for as long as 15 s: after that
 * the custom resources themselves say best what is wrong.
 */
export async function awaitServed(
  definition: KubeObject,
  { cluster, clock, signal }: { cluster: Cluster; clock: Clock; signal: AbortSignal },
): Promise<void> {
  cluster.forgetKinds();
  const group = textAt(definition, "spec", "group") ?? "";
  const kind = textAt(definition, "spec", "names", "kind") ?? "";
  for (const version of servedVersions(definition)) {
    for (let attempt = 0; attempt < 30 && !signal.aborted; attempt += 1) {
      if ((await cluster.kind(`${group}/${version}`, kind)).ok) break;
      await clock.sleep(500);
      cluster.forgetKinds();
    }
  }
}

function servedVersions(definition: KubeObject): readonly string[] {
  const versions = listAt(definition, "spec", "versions").filter(isObject);
  return versions.filter((v) => at(v, "served") === true).map((v) => textAt(v, "name") ?? "");
}
