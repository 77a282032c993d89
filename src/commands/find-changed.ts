import { changedDeployments } from "../config/changed.ts";
import type { Compilation } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { World } from "./world.ts";

/** One deployment at two commits; a compilation is undefined where there is none. */
export interface Compared {
  readonly deployment: Deployment;
  /** As the older commit has it; undefined when it is new. */
  readonly before: Deployment | undefined;
  readonly base: Compilation | undefined;
  readonly head: Compilation | undefined;
}

/** Whether something that the compilation read differs between two commits (spec §8). `head` is what is checked out. */
export async function isChanged(world: World, base: string, compared: Compared): Promise<boolean> {
  const { deployment, before } = compared;
  // What does not compile has not told what it reads, and is worth a look in any case.
  if (compared.head === undefined || world.repository === undefined) return true;
  const inputs = [...new Set([...(compared.base?.inputs ?? []), ...compared.head.inputs])];
  const paths = await world.repository.changedPaths(base, "HEAD");
  return changedDeployments([{ deployment, before, inputs }], paths).length > 0;
}
