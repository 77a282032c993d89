import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/errors.ts";
import type { Release } from "../model/release.ts";
import type { DesiredState } from "../planning/plan-deployment.ts";
import type { Target, World } from "../ports/world.ts";
import {
  manifestsOf,
  type ReleaseChoice,
  selectRelease,
  selectRunning,
} from "../releases/select.ts";
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
  return desiredOf(chosen.value);
}

/** What the running release declares, to be compared with what is live. Throws a UserError where none runs for certain. */
export async function loadRunning(
  world: World,
  { cluster }: Target,
  deployment: Deployment,
): Promise<CorrectedState> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const chosen = selectRunning(recorded.value.releases, deployment);
  if (!chosen.ok) throw new UserError(chosen.problems);
  return { ...desiredOf(chosen.value), corrects: chosen.value };
}

type CorrectedState = DesiredState & { readonly corrects: Release };

function desiredOf(release: Release): DesiredState {
  const { inputConfig, layout, revision } = release;
  return {
    manifests: manifestsOf(release),
    unsupported: [],
    input: inputConfig,
    layout,
    rollbackOf: revision,
  };
}
