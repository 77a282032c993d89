import pMap from "p-map";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Release } from "../model/deployments/release.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import { deployedCommit, isUnconfirmedRollback } from "../releases/current-release.ts";
import { readReleases } from "../releases/store.ts";
import { openCommitSource } from "./commit-source.ts";
import { createFileLister, type DeploymentFiles, type ListDeploymentFiles } from "./files-read.ts";
import { createChangeCheck } from "./find-changed.ts";
import { listDeployments } from "./list-deployments.ts";

export interface Push {
  /** The commit of the branch before the push; undefined for a new branch. */
  readonly before: string | undefined;
  readonly inline: readonly string[];
  /**
   * Replaces values of an entry in deployments.yaml by the inputs. It applies at every commit, so
   * the inputs aren't a change.
   */
  readonly adjusted: (deployment: Deployment) => Deployment;
  /** True if qvs can ask the cluster about deployments that earlier pushes left undone. */
  readonly readsCluster: boolean;
}

export interface PushChanges {
  readonly deployments: readonly Deployment[];
  /** The failed checks. They don't prevent other deployments. */
  readonly notices: readonly Problem[];
}

/**
 * Returns the deployments in `chosen` that a push changed or that an earlier push left undone. The
 * entries must already be adjusted.
 * Returns all of them if there is no commit to compare with.
 */
export async function changedByPush(
  world: World,
  chosen: readonly Deployment[],
  push: Push,
): Promise<PushChanges> {
  const { before } = push;
  if (before === undefined) return { deployments: chosen, notices: [] };
  if (world.repository !== undefined && (await world.repository.resolve(before)) === undefined) {
    return { deployments: chosen, notices: [notInClone(before)] };
  }
  // Reads all deployments at once, so that one Git process serves them all.
  const heads = await Promise.all(chosen.map(createFileLister(world.source, push.inline)));
  const hasChangedSince = await createComparison(world, push, before, chosen);
  const found = await pMap(
    chosen,
    async (deployment, index) => {
      const head = heads[index];
      const since = (commit: string) => hasChangedSince(commit, deployment, head);
      const changed = (await since(before))
        ? ok(true)
        : await wasNotDeployed(world, deployment, push, since);
      return { deployment, changed };
    },
    { concurrency: atOnce },
  );
  return {
    deployments: found.flatMap(({ deployment, changed }) =>
      changed.ok && changed.value ? [deployment] : [],
    ),
    notices: found.flatMap(({ changed }) => (changed.ok ? [] : changed.problems)),
  };
}

/**
 * Reports a missing commit. It isn't part of the branch after a forced push, or the clone is
 * shallow.
 */
function notInClone(before: string): Problem {
  return {
    code: "commit-not-found",
    where: [],
    what: `Commit ${before.slice(0, 12)} before this push isn't in this clone`,
    why: "Without it, qvs deploys every deployment and deletes no removed deployment",
    fix: "Set `fetch-depth: 0` for actions/checkout, unless the push was forced",
  };
}

/**
 * The number of deployments that are compared at once. It keeps the workers busy, and limits
 * concurrent reads of releases from the cluster.
 */
const atOnce = 16;

/**
 * Returns a function that reports whether a deployment has changed since a commit.
 * It opens each commit once for all deployments. The commit before the push is read at once,
 * because every deployment needs it.
 */
async function createComparison(
  world: World,
  { inline, adjusted }: Push,
  before: string,
  chosen: readonly Deployment[],
) {
  const isChanged = createChangeCheck(world);
  const opened = new Map<string, Promise<EarlierCommit>>();
  const open = (commit: string) => {
    const known = opened.get(commit) ?? openCommit(world, commit, inline);
    opened.set(commit, known);
    return known;
  };
  const readAtCommit = async (commit: string, { name }: Deployment) => {
    const { read, deployments } = await open(commit);
    const listed = deployments.get(name);
    const there = listed === undefined ? undefined : adjusted(listed);
    return { before: there, base: there === undefined ? undefined : await read(there) };
  };
  const read = await Promise.all(chosen.map((each) => readAtCommit(before, each)));
  const readBefore = new Map(chosen.map(({ name }, index) => [name, read[index]]));
  return async (commit: string, deployment: Deployment, head: DeploymentFiles | undefined) => {
    const known = commit === before ? readBefore.get(deployment.name) : undefined;
    return isChanged(commit, {
      deployment,
      head,
      ...(known ?? (await readAtCommit(commit, deployment))),
    });
  };
}

interface EarlierCommit {
  readonly read: ListDeploymentFiles;
  readonly deployments: ReadonlyMap<string, Deployment>;
}

async function openCommit(
  world: World,
  commit: string,
  inline: readonly string[],
): Promise<EarlierCommit> {
  const source = await openCommitSource(world, commit);
  const listed = await listDeployments(source.tree, world.repositoryName, world.folder);
  const deployments = listed.ok ? listed.value : [];
  return {
    read: createFileLister(source, inline),
    deployments: new Map(deployments.map((each) => [each.name, each])),
  };
}

/**
 * Reports whether an earlier push failed, was canceled or didn't reach this deployment.
 * That is so if the newest release didn't succeed, contains only one stage, or precedes a relevant
 * change. A rollback is a user's decision. Only a change of the deployment itself can undo it.
 */
async function wasNotDeployed(
  world: World,
  deployment: Deployment,
  { before, readsCluster }: Push,
  differsSince: (commit: string) => Promise<boolean>,
): Promise<Result<boolean>> {
  if (!readsCluster) return ok(false);
  const newest = await newestRelease(world, deployment);
  if (!newest.ok) return newest;
  const release = newest.value;
  if (release === undefined) return ok(true);
  if (isUnconfirmedRollback(release)) return ok(false);
  const { commit: recorded = "", uncommitted } = deployedCommit(release);
  // A newer commit that is left undone isn't this run's task.
  if (await isOlder(world, recorded)) return ok(false);
  if (release.status !== "succeeded" || release.onlyStage !== undefined) return ok(true);
  // A release can contain any string. A revision other than a full ID can point anywhere.
  const commit = isCommit(recorded) ? await world.repository?.resolve(recorded) : undefined;
  // A redundant deployment is cheap, but a missed one isn't.
  if (commit === undefined || uncommitted === true) return ok(true);
  return ok(commit !== before && (await differsSince(commit)));
}

async function isOlder({ repository, compareCommits }: World, recorded: string): Promise<boolean> {
  const here = await repository?.resolve("HEAD");
  return here !== undefined && (await compareCommits(here, recorded)) === "older";
}

function isCommit(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

async function newestRelease(
  world: World,
  deployment: Deployment,
): Promise<Result<Release | undefined>> {
  const opened = await catchProblems(() => world.target(deployment));
  if (!opened.ok) return opened;
  const recorded = await readReleases(opened.value.cluster, deployment, world);
  return recorded.ok ? ok(recorded.value.newest) : recorded;
}
