import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/errors.ts";
import type { DesiredState } from "../planning/plan-deployment.ts";
import type { Target, World } from "../ports/world.ts";
import { manifestsOf, type ReleaseChoice, selectRelease } from "../releases/select.ts";
import { readReleases } from "../releases/store.ts";

/** What a recorded release wants to be there. Throws a UserError where there is none. */
export async function loadRelease(
  world: World,
  { cluster }: Target,
  deployment: Deployment,
  choice: ReleaseChoice,
): Promise<DesiredState> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const chosen = selectRelease(recorded.value.releases, choice);
  if (!chosen.ok) throw new UserError(chosen.problems);
  const { inputConfig, layout, revision } = chosen.value;
  return {
    manifests: manifestsOf(chosen.value),
    unsupported: [],
    input: inputConfig,
    layout,
    rollbackOf: revision,
  };
}
