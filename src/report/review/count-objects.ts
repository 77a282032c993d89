import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { checkId, checkKey } from "../../model/deployments/deployment-checks.ts";
import { textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import { type Edge, hooksOf, type Plan } from "../../model/plan/plan.ts";
import type { Resource } from "../../model/sources/compilation.ts";
import type { DeploymentReport } from "../comment/comment-input.ts";
import { diffCompilations, type ManifestDiff } from "../diff/manifest-diff.ts";
import type { OrderedCheck } from "./review.ts";

/** The number of affected objects of one deployment, by action. */
export interface Counts {
  readonly create: number;
  readonly update: number;
  readonly replace: number;
  readonly delete: number;
}

export const noneCounted: Counts = { create: 0, update: 0, replace: 0, delete: 0 };

/**
 * Counts the changes of a deployment. Undefined if it doesn't compile.
 * A removed deployment leaves its objects in the cluster.
 */
export function countReport(report: DeploymentReport): Counts | undefined {
  if (report.plan !== undefined) return countPlan(report.plan);
  if (report.problems.length > 0) return undefined;
  if (report.head === undefined) return noneCounted;
  return diffCompilations(report.base, report.head)
    .map(countManifest)
    .reduce(addCounts, noneCounted);
}

/**
 * Counts a change of an object in the cluster.
 * A renamed object counts as a creation and a deletion.
 */
function countManifest(diff: ManifestDiff): Counts {
  const isDeployed = diff.resource.type === "manifest";
  switch (diff.type) {
    case "added":
      return { ...noneCounted, create: Number(isDeployed) };
    case "changed":
      return { ...noneCounted, update: Number(isDeployed) };
    case "removed":
      return { ...noneCounted, delete: Number(isDeletable(diff.resource)) };
    case "renamed":
      return {
        ...noneCounted,
        create: Number(isDeployed),
        delete: Number(isDeletable(diff.before)),
      };
  }
}

function isDeletable(resource: Resource): boolean {
  if (resource.type !== "manifest") return false;
  return textAt(resource.object, "metadata", "annotations", keepOnDeleteAnnotation) === undefined;
}

/** Counts the objects of a plan. A hook that a deletion creates and then deletes counts twice. */
export function countPlan({ changes, deletions }: Plan): Counts {
  const changed = (action: string) => changes.filter((change) => change.action === action).length;
  return {
    create: changed("create"),
    update: changed("update"),
    replace: changed("replace"),
    delete: deletions.length + hooksOf({ changes }).length,
  };
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    create: a.create + b.create,
    update: a.update + b.update,
    replace: a.replace + b.replace,
    delete: a.delete + b.delete,
  };
}

/**
 * Returns the checks that run with these objects of a plan. It omits a check that only other
 * objects wait for. Without any object, no check runs.
 */
export function orderChecks(
  { namespace, checks = [], gates = [] }: Plan,
  keys: ReadonlySet<string>,
): readonly OrderedCheck[] {
  if (keys.size === 0) return [];
  const gateByName = new Map(gates.map((gate) => [gate.name, gate]));
  return checks.flatMap((check) => {
    const ordered = { key: checkKey(namespace, check), name: nameOf(checkId(namespace, check)) };
    const gate = gateByName.get(check.name);
    if (gate === undefined) return [ordered];
    const before = gate.before.filter((key) => keys.has(key));
    if (before.length === 0) return [];
    return [{ ...ordered, gate: { stage: gate.stage, after: edgesTo(keys, gate.after), before } }];
  });
}

/** Returns the edges to objects with these keys, with only the fields that are published. */
export function edgesTo(keys: ReadonlySet<string>, edges: readonly Edge[]): readonly Edge[] {
  return edges.filter(({ on }) => keys.has(on)).map(({ on, reason }) => ({ on, reason }));
}
