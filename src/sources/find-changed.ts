import type { Deployment } from "../model/deployment.ts";
import type { World } from "../ports/world.ts";
import type { Reading } from "./files-read.ts";

/** Asks git once per commit, however many deployments there are. */
function changedSince({ repository }: World): (base: string) => Promise<readonly string[]> {
  const asked = new Map<string, Promise<readonly string[]>>();
  const head = async () => (await repository?.resolve("HEAD")) ?? "HEAD";
  return (base) => {
    const known = asked.get(base);
    const paths = known ?? head().then((commit) => repository?.changedPaths(base, commit) ?? []);
    asked.set(base, paths);
    return paths;
  };
}

/** One deployment at two commits, of which little has been compiled yet. */
interface Compared {
  readonly deployment: Deployment;
  /** As the older commit has it; undefined when it is new. */
  readonly before: Deployment | undefined;
  readonly base: Reading | undefined;
  readonly head: Reading | undefined;
}

/**
 * Whether something that the compilation read differs between the commit `base` and what is checked out
 * (docs/reference/deployments-yaml.md#changed-deployments).
 */
export type IsChanged = (base: string, compared: Compared) => Promise<boolean>;

/**
 * Adapters are compiled only if a file in one of their folders differs. What does not compile has not told what it reads, and is worth a
 * look in any case: also what did not compile before, where the file that stood in the way may be gone.
 */
export function findChanged(world: World): IsChanged {
  const pathsSince = changedSince(world);
  return async (base, read) => {
    const { deployment, before, head } = read;
    if (world.repository === undefined || head === undefined) return true;
    if (before === undefined || read.base === undefined) return true;
    const paths = await pathsSince(base);
    const isAmong = (inputs: readonly string[]) =>
      changedDeployments([{ deployment, before, inputs }], paths).length > 0;
    if (isAmong([...read.base.own, ...head.own])) return true;
    const folders = [...read.base.folders, ...head.folders];
    if (!paths.some((path) => folders.some((folder) => isBelow(folder, path)))) return false;
    const [earlier, now] = await Promise.all([read.base.all(), head.all()]);
    return earlier === undefined || now === undefined || isAmong([...earlier, ...now]);
  };
}

function isBelow(folder: string, path: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** A deployment at the newer commit, with what its compilation read at either of the two. */
export interface ComparedDeployment {
  readonly deployment: Deployment;
  /** Its entry at the older commit; undefined when it is new. */
  readonly before: Deployment | undefined;
  /** `Compilation.inputs` of both commits, locks among them: a deleted file was read only at the older one. */
  readonly inputs: readonly string[];
}

export interface ChangedDeployment {
  readonly name: string;
  /** What it has read that differs, sorted. */
  readonly because: readonly string[];
}

/** The deployments that differ between two commits (docs/reference/deployments-yaml.md#changed-deployments), in the given order. */
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

/** Both have every field, in the order in which the parser makes them. What becomes of it one day changes nothing that is deployed. */
function sameEntry(a: Deployment, b: Deployment): boolean {
  const deployed = ({ onRemoved: _, ...entry }: Deployment) => JSON.stringify(entry);
  return deployed(a) === deployed(b);
}
