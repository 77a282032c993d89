import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import { at, isObject, listAt, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/** Reports whether an object defines a kind. */
export function isCrdObject(object: KubeObject): boolean {
  return isCrd(idOf(object));
}

/** Returns the defined kind as `group/Kind`. */
export function definedKind(crd: KubeObject): string {
  const group = textAt(crd, "spec", "group") ?? "";
  const kind = textAt(crd, "spec", "names", "kind") ?? "";
  return kindKey({ group, kind });
}

/**
 * Returns every kind that the plan defines, so that qvs retries their first objects for a moment.
 */
export function definedKinds(changes: readonly Change[]): ReadonlySet<string> {
  const crdChanges = changes.filter((c) => isCrdObject(c.desired) && c.action !== "unchanged");
  return new Set(crdChanges.map(({ desired }) => definedKind(desired)));
}

/** The maximum wait for all versions of a definition together, and the poll interval, in ms. */
const maxWaitMs = 15_000;
const pollMs = 500;

/**
 * Waits until discovery lists a new definition, a moment after its condition Established.
 * Gives up after 15 s: the errors of the custom resources then explain the problem best.
 */
export async function awaitCrdServed(
  crd: KubeObject,
  { cluster, clock, signal }: { cluster: Cluster; clock: Clock; signal: AbortSignal },
): Promise<void> {
  cluster.forgetKinds();
  const group = textAt(crd, "spec", "group") ?? "";
  const kind = textAt(crd, "spec", "names", "kind") ?? "";
  const began = clock.elapsed();
  const canWait = () => !signal.aborted && clock.elapsed() - began < maxWaitMs;
  for (const version of servedVersions(crd)) {
    while (!(await cluster.kind(`${group}/${version}`, kind)).ok && canWait()) {
      // An aborted wait isn't a failure: the caller checks the signal.
      await clock.sleep(pollMs, signal).catch(() => {});
      cluster.forgetKinds();
    }
  }
}

function servedVersions(crd: KubeObject): readonly string[] {
  const versions = listAt(crd, "spec", "versions").filter(isObject);
  return versions.filter((v) => at(v, "served") === true).map((v) => textAt(v, "name") ?? "");
}
