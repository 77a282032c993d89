import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import { manifestsOf, selectRelease } from "../releases/select.ts";
import type { Wanted } from "./plan-wanted.ts";
import { readReleases } from "./release-store.ts";
import type { Target, World } from "./world.ts";

/** What a recorded release wants to be there. Throws a UserError where there is none. */
export async function recallRelease(
  world: World,
  { cluster }: Target,
  deployment: Deployment,
  to: number | "previous",
): Promise<Wanted> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const chosen = selectRelease(recorded.value.releases, to);
  if (!chosen.ok) throw new UserError(chosen.problems);
  const { inputConfig, layout, revision } = chosen.value;
  return { manifests: manifestsOf(chosen.value), input: inputConfig, layout, rollbackOf: revision };
}
