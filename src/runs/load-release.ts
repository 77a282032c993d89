import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Release } from "../model/release.ts";
import type { DesiredState } from "../planning/desired-state.ts";
import type { Target, World } from "../ports/world.ts";
import { hiddenTexts } from "../releases/queries/hidden-texts.ts";
import {
  manifestsOf,
  type ReleaseChoice,
  selectRelease,
  selectRunning,
} from "../releases/select.ts";
import { readReadableReleases } from "../releases/store.ts";
import { refuseUnreadable } from "../releases/unreadable.ts";

/** What a recorded release wants to be there. Throws a UserError where there is none. */
export async function loadRelease(
  world: World,
  { cluster }: Target,
  deployment: Deployment,
  choice: ReleaseChoice,
): Promise<DesiredState> {
  const releases = await readFor(choice.to, world, cluster, deployment);
  const chosen = selectRelease(releases, choice);
  if (!chosen.ok) throw new UserError(chosen.problems);
  return desiredOf(chosen.value, releases);
}

/** What the running release declares, to be compared with what is live. Throws a UserError where none runs for certain. */
export async function loadRunning(
  world: World,
  { cluster }: Target,
  deployment: Deployment,
): Promise<CorrectedState> {
  const releases = await readFor("running", world, cluster, deployment);
  const chosen = selectRunning(releases, deployment);
  if (!chosen.ok) throw new UserError(chosen.problems);
  return { ...desiredOf(chosen.value, releases), corrects: chosen.value };
}

/** Records that can't be read matter only where one of them may be the release that is meant. */
async function readFor(
  to: ReleaseChoice["to"] | "running",
  world: World,
  cluster: Target["cluster"],
  deployment: Deployment,
): Promise<readonly Release[]> {
  const recorded = await readReadableReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const { releases, unreadable } = recorded.value;
  const refused = refuseUnreadable(to, unreadable, releases);
  if (!refused.ok) throw new UserError(refused.problems);
  return releases;
}

type CorrectedState = DesiredState & { readonly corrects: Release };

/** What is live may be of any of the releases. */
function desiredOf(release: Release, releases: readonly Release[]): DesiredState {
  const { inputConfig, layout, revision } = release;
  return {
    manifests: manifestsOf(release),
    unsupported: [],
    input: inputConfig,
    layout,
    hides: [...new Set(releases.flatMap(hiddenTexts))],
    rollbackOf: revision,
  };
}
