import { changedDeployments } from "../config/changed.ts";
import type { Compilation } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { World } from "./world.ts";

/** One deployment at two commits; a compilation is undefined where there is none. */
interface Compared {
  readonly deployment: Deployment;
  /** As the older commit has it; undefined when it is new. */
  readonly before: Deployment | undefined;
  readonly base: Compilation | undefined;
  readonly head: Compilation | undefined;
}

/** Whether something that the compilation read differs between the commit `base` and what is checked out (spec §8). */
export type IsChanged = (base: string, compared: Compared) => Promise<boolean>;

/** Asks git once per commit, however many deployments there are. */
export function findChanged({ repository }: World): IsChanged {
  const asked = new Map<string, Promise<readonly string[]>>();
  const head = async () => (await repository?.resolve("HEAD")) ?? "HEAD";
  const pathsSince = (base: string) => {
    const known = asked.get(base);
    const paths = known ?? head().then((commit) => repository?.changedPaths(base, commit) ?? []);
    asked.set(base, paths);
    return paths;
  };
  return async (base, compared) => {
    if (repository === undefined || !bothCompile(compared)) return true;
    const { deployment, before } = compared;
    const read = [...(compared.base?.inputs ?? []), ...(compared.head?.inputs ?? [])];
    const inputs = [...new Set(read)];
    const paths = await pathsSince(base);
    return changedDeployments([{ deployment, before, inputs }], paths).length > 0;
  };
}

/**
 * What does not compile has not told what it reads, and is worth a look in any case: also what did not compile before,
 * where the file that stood in the way may be gone.
 */
function bothCompile({ before, base, head }: Compared): boolean {
  return head !== undefined && (before === undefined || base !== undefined);
}
