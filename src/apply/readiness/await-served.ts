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

/** How long to wait for all versions of a definition together, and how often to ask, in milliseconds. */
const longestWait = 15_000;
const pause = 500;

/**
 * Waits until discovery has a new definition, which it has a moment after the condition Established.
 * Gives up after 15 s: then the custom resources themselves say best what is wrong.
 */
export async function awaitServed(
  definition: KubeObject,
  { cluster, clock, signal }: { cluster: Cluster; clock: Clock; signal: AbortSignal },
): Promise<void> {
  cluster.forgetKinds();
  const group = textAt(definition, "spec", "group") ?? "";
  const kind = textAt(definition, "spec", "names", "kind") ?? "";
  const began = clock.elapsed();
  const mayWait = () => !signal.aborted && clock.elapsed() - began < longestWait;
  for (const version of servedVersions(definition)) {
    while (!(await cluster.kind(`${group}/${version}`, kind)).ok && mayWait()) {
      // An aborted wait is no failure: the caller looks at the signal itself.
      await clock.sleep(pause, signal).catch(() => {});
      cluster.forgetKinds();
    }
  }
}

function servedVersions(definition: KubeObject): readonly string[] {
  const versions = listAt(definition, "spec", "versions").filter(isObject);
  return versions.filter((v) => at(v, "served") === true).map((v) => textAt(v, "name") ?? "");
}
