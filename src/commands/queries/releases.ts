import {
  type LocatedDeployment,
  notRecordedError,
} from "../../deploying/queries/locate-deployment.ts";
import { readLocks } from "../../deploying/queries/read-deployments.ts";
import type { ReleaseSummary } from "../../model/deployments/deployment-state.ts";
import type { Release } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { World } from "../../ports/world.ts";
import { previousRelease } from "../../releases/previous-release.ts";
import { hiddenStrings } from "../../releases/queries/hidden-strings.ts";
import { summarizeReleases } from "../../releases/queries/recorded-deployments.ts";
import { releaseManifests, selectRelease } from "../../releases/select.ts";
import { readReleases } from "../../releases/store.ts";
import { declareSameObjects } from "../../releases/with-other-stage.ts";

/** The recorded releases of one deployment. */
export interface ListedReleases {
  readonly history: ReleaseHistory;
  readonly summaries: readonly ReleaseSummary[];
  /** The release that `rollback --to previous` would restore. */
  readonly previous: number | undefined;
}

/** Lists all releases of a deployment. Throws a UserError if there are none. */
export async function listReleases(
  world: World,
  { target, deployment }: LocatedDeployment,
): Promise<ListedReleases> {
  const { cluster } = target;
  const { name, namespace } = deployment;
  const [recorded, locks] = await Promise.all([
    readReleases(cluster, deployment, world),
    readLocks(cluster, [namespace], world.clock.now()),
  ]);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const history = recorded.value;
  if (history.releases.length === 0) throw await notRecordedError(target, deployment);
  const lock = locks.get(`${namespace}/${name}`);
  return {
    history,
    summaries: summarizeReleases(history, lock?.isAlive),
    previous: previousRelease(history)?.revision,
  };
}

/**
 * Lists the releases that a rollback can restore with an effect. They succeeded and have other
 * objects than the newest release.
 */
export function listRollbackOptions({
  history: { releases, newest },
  summaries,
}: ListedReleases): readonly ReleaseSummary[] {
  const different = releases.filter(
    (release) =>
      release.status === "succeeded" &&
      newest !== undefined &&
      !declareSameObjects(release, newest),
  );
  const revisions = new Set(different.map(({ revision }) => revision));
  return summaries.filter(({ revision }) => revisions.has(revision));
}

/** Returns a release. Throws a UserError that lists the existing ones. */
export function findRelease(history: ReleaseHistory, revision: number): Release {
  const chosen = selectRelease(history, { to: revision, allowFailed: true });
  if (!chosen.ok) throw new UserError(chosen.problems);
  return chosen.value;
}

export interface ComparedReleases {
  readonly from: Release;
  readonly to: Release;
}

/**
 * Returns the two releases to compare: N and M.
 * Without M it compares N with the current release, or the current release with the one before it.
 */
export function releasesToCompare(
  { history }: ListedReleases,
  n: number,
  m: number | undefined,
): ComparedReleases {
  const one = findRelease(history, n);
  if (m !== undefined) return { from: one, to: findRelease(history, m) };
  const running = history.current?.revision ?? n;
  if (running !== n) return { from: one, to: findRelease(history, running) };
  const before = history.releases.find((each) => each.revision < n && each.status === "succeeded");
  return { from: before ?? one, to: one };
}

/** Returns the manifests of a release as a compilation, for comparing like a preview. */
export function releaseCompilation(release: Release): Compilation {
  return {
    resources: releaseManifests(release).toSorted(
      (a, b) => compare(a.stage, b.stage) || compare(a.id, b.id),
    ),
    pulumi: undefined,
    layout: release.layout,
    warnings: [],
    hides: hiddenStrings(release),
    inputs: [],
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
