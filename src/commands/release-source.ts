import type { Deployment } from "../model/deployment.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { World } from "./world.ts";

/** Where a release of this deployment comes from when it is made here. */
export async function releaseSource(
  { origin, repository }: Pick<World, "origin" | "repository">,
  { config }: Deployment,
): Promise<ReleaseSource> {
  const commit = origin.commit ?? (await repository?.resolve("HEAD"));
  return { ...origin, commit, repository: await repository?.origin(), config };
}
