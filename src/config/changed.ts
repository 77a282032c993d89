import type { Deployment } from "../model/deployment.ts";

/** A deployment at the newer commit, with what its compilation read at either of the two. */
export interface ComparedDeployment {
  readonly deployment: Deployment;
  /** Its entry at the older commit; undefined when it is new. */
  readonly before: Deployment | undefined;
  /** `Compilation.inputs` of both commits, locks among them: a file that is gone was read only at the older one. */
  readonly inputs: readonly string[];
}

export interface ChangedDeployment {
  readonly name: string;
  /** What it has read that differs, sorted. */
  readonly because: readonly string[];
}

/** The deployments that differ between two commits (spec §8), in the given order. */
export function changedDeployments(
  compared: readonly ComparedDeployment[],
  changedPaths: readonly string[],
): readonly ChangedDeployment[] {
  const changed = new Set(changedPaths);
  return compared
    .map((each) => ({ name: each.deployment.name, because: reasons(each, changed) }))
    .filter(({ because }) => because.length > 0);
}

function reasons(
  { deployment, before, inputs }: ComparedDeployment,
  changed: ReadonlySet<string>,
): readonly string[] {
  const read = new Set([...inputs, deployment.config, ...deployment.params]);
  const files = [...read].filter((path) => changed.has(path)).sort();
  if (before === undefined) return ["it is new", ...files];
  return sameEntry(deployment, before) ? files : ["its entry in deployments.yaml", ...files];
}

/** Both have every field, in the order in which the parser makes them. */
function sameEntry(a: Deployment, b: Deployment): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
