import { toJson } from "../config/read-typed.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { World } from "../ports/world.ts";
import type { DeploymentFiles } from "./files-read.ts";

/**
 * Returns a function that lists the changed paths since a commit. It asks Git once per commit for
 * all deployments. It compares with the files that qvs reads: those on disk or those of HEAD.
 */
function createPathComparison({
  repository,
  source,
}: World): (base: string) => Promise<ReadonlySet<string>> {
  const requested = new Map<string, Promise<ReadonlySet<string>>>();
  const readPaths = async (base: string) => {
    const isOnDisk = source.isWorkingTree === true;
    const head = isOnDisk ? undefined : ((await repository?.resolve("HEAD")) ?? "HEAD");
    return new Set(await repository?.changedPaths(base, head));
  };
  return (base) => {
    const paths = requested.get(base) ?? readPaths(base);
    requested.set(base, paths);
    return paths;
  };
}

/**
 * One deployment at an older commit and in the files that qvs reads now, before most of it is
 * compiled.
 */
interface DeploymentPair {
  readonly deployment: Deployment;
  /** The entry at the older commit; undefined for a new deployment. */
  readonly before: Deployment | undefined;
  readonly base: DeploymentFiles | undefined;
  readonly head: DeploymentFiles | undefined;
}

/**
 * Reports whether a file that the compilation reads differs between the commit `base` and the
 * checkout (docs/reference/deployments-yaml.md#changed-deployments).
 */
export type IsChanged = (base: string, compared: DeploymentPair) => Promise<boolean>;

/**
 * Returns the comparison. It compiles adapters only if a file in one of their directories differs.
 * A deployment that doesn't compile at one of the commits counts as changed, because the files that
 * it reads are unknown. The file that caused an earlier error can also be deleted now.
 */
export function createChangeCheck(world: World): IsChanged {
  const pathsSince = createPathComparison(world);
  return async (base, read) => {
    const { deployment, before, head } = read;
    if (world.repository === undefined || head === undefined) return true;
    if (before === undefined || read.base === undefined) return true;
    const paths = await pathsSince(base);
    const isAmong = (inputs: readonly string[]) =>
      changedDeployments([{ deployment, before, inputs }], paths).length > 0;
    if (isAmong([...read.base.own, ...head.own])) return true;
    const folders = [...read.base.folders, ...head.folders];
    if (!paths.values().some((path) => folders.some((folder) => isBelow(folder, path))))
      return false;
    const [earlier, now] = await Promise.all([read.base.all(), head.all()]);
    return earlier === undefined || now === undefined || isAmong([...earlier, ...now]);
  };
}

function isBelow(folder: string, path: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** A deployment at the newer commit, with the files that its compilation read at either commit. */
export interface ComparedDeployment {
  readonly deployment: Deployment;
  /** The entry at the older commit; undefined for a new deployment. */
  readonly before: Deployment | undefined;
  /**
   * `Compilation.inputs` of both commits, including lockfiles. A deleted file was read only at the
   * older commit.
   */
  readonly inputs: readonly string[];
}

export interface ChangeReasons {
  readonly name: string;
  /** The changed files that the deployment read, sorted. */
  readonly because: readonly string[];
}

/**
 * Returns the deployments that differ between two versions, in the given order
 * (docs/reference/deployments-yaml.md#changed-deployments).
 */
export function changedDeployments(
  compared: readonly ComparedDeployment[],
  changedPaths: ReadonlySet<string>,
): readonly ChangeReasons[] {
  return compared
    .map((each) => ({ name: each.deployment.name, because: reasons(each, changedPaths) }))
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

/**
 * Compares two entries. Both have every field in the order of the parser. `onRemoved` and `require`
 * are ignored, because they don't change the deployed objects. Checks can move to other lines.
 */
function sameEntry(a: Deployment, b: Deployment): boolean {
  const deployed = ({
    onRemoved: _,
    require: _required,
    preview: _preview,
    checks,
    ...entry
  }: Deployment) => JSON.stringify({ ...entry, checks: checks && toJson(checks) });
  return deployed(a) === deployed(b);
}
