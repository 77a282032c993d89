import { at, isObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/** Reports whether an object defines a kind. */
export function definesKind(object: KubeObject): boolean {
  return object.kind === "CustomResourceDefinition";
}

/** Returns the defined kind as `group/Kind`. */
export function kindDefinedBy(definition: KubeObject): string {
  const group = textAt(definition, "spec", "group") ?? "";
  return `${group}/${textAt(definition, "spec", "names", "kind") ?? ""}`;
}

/**
 * Returns every kind that the plan defines, so that qvs retries their first objects for a moment.
 */
export function kindsDefinedBy(changes: readonly Change[]): ReadonlySet<string> {
  const definitions = changes.filter((c) => definesKind(c.desired) && c.action !== "unchanged");
  return new Set(definitions.map(({ desired }) => kindDefinedBy(desired)));
}

/** The maximum wait for all versions of a definition together, and the poll interval, in ms. */
const longestWait = 15_000;
const pause = 500;

/**
 * Waits until discovery lists a new definition, a moment after its condition Established.
 * Gives up after 15 s: the errors of the custom resources then explain the problem best.
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
      // An aborted wait isn't a failure: the caller checks the signal.
      await clock.sleep(pause, signal).catch(() => {});
      cluster.forgetKinds();
    }
  }
}

function servedVersions(definition: KubeObject): readonly string[] {
  const versions = listAt(definition, "spec", "versions").filter(isObject);
  return versions.filter((v) => at(v, "served") === true).map((v) => textAt(v, "name") ?? "");
}
