import pMap from "p-map";
import type { Deployment } from "../model/deployment.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { Release } from "../model/release.ts";
import type { World } from "../ports/world.ts";
import { commitOf, isHeldBack } from "../releases/running-release.ts";
import { readReleases } from "../releases/store.ts";
import { commitTreeAt } from "./commit-source.ts";
import { type ReadBy, type Reading, readAt } from "./files-read.ts";
import { findChanged } from "./find-changed.ts";
import { listDeployments } from "./list-deployments.ts";

export interface Push {
  /** The branch's commit before the push; undefined when it is new. */
  readonly before: string | undefined;
  readonly inline: readonly string[];
  /** What is said instead of its entry in deployments.yaml, at every commit: it is no change. */
  readonly adjusted: (deployment: Deployment) => Deployment;
  /** Whether the cluster can be asked for what earlier pushes left undone. */
  readonly readsCluster: boolean;
}

export interface ToDeploy {
  readonly deployments: readonly Deployment[];
  /** What could not be found out; no reason to keep the others from being deployed. */
  readonly notices: readonly Problem[];
}

/**
 * The deployments among `chosen`, which are adjusted already, that a push changed or an earlier one left undone; all of them
 * when there is no commit to compare with.
 */
export async function changedByPush(
  world: World,
  chosen: readonly Deployment[],
  push: Push,
): Promise<ToDeploy> {
  const { before } = push;
  if (before === undefined) return { deployments: chosen, notices: [] };
  if (world.repository !== undefined && (await world.repository.resolve(before)) === undefined) {
    return { deployments: chosen, notices: [notInClone(before)] };
  }
  // All at once, so that one process of git reads for all of them.
  const heads = await Promise.all(chosen.map(readAt(world.source, push.inline)));
  const differsFrom = await differences(world, push, before, chosen);
  const found = await pMap(
    chosen,
    async (deployment, index) => {
      const head = heads[index];
      const since = (commit: string) => differsFrom(commit, deployment, head);
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

/** A branch that was pushed by force has left it behind; or the clone is a shallow one. */
function notInClone(before: string): Problem {
  return {
    code: "commit-not-found",
    what: `The branch's commit before this push, ${before.slice(0, 12)}, is not in this clone, so every deployment is deployed, and none that was removed is deleted`,
    fix: "After a forced push that is as it should be; otherwise set `fetch-depth: 0` of actions/checkout",
    where: [],
  };
}

/** Workers have enough to choose from, and the cluster is not asked for the records of all at the same time. */
const atOnce = 16;

/**
 * Whether a deployment differs from what it was at a commit. Each commit is opened once, for all of them; at the one before the push all
 * will be asked for.
 */
async function differences(
  world: World,
  { inline, adjusted }: Push,
  before: string,
  chosen: readonly Deployment[],
) {
  const isChanged = findChanged(world);
  const opened = new Map<string, Promise<EarlierCommit>>();
  const open = (commit: string) => {
    const known = opened.get(commit) ?? openCommit(world, commit, inline);
    opened.set(commit, known);
    return known;
  };
  const readThere = async (commit: string, { name }: Deployment) => {
    const { read, deployments } = await open(commit);
    const listed = deployments.get(name);
    const there = listed === undefined ? undefined : adjusted(listed);
    return { before: there, base: there === undefined ? undefined : await read(there) };
  };
  const read = await Promise.all(chosen.map((each) => readThere(before, each)));
  const readBefore = new Map(chosen.map(({ name }, index) => [name, read[index]]));
  return async (commit: string, deployment: Deployment, head: Reading | undefined) => {
    const known = commit === before ? readBefore.get(deployment.name) : undefined;
    return isChanged(commit, {
      deployment,
      head,
      ...(known ?? (await readThere(commit, deployment))),
    });
  };
}

interface EarlierCommit {
  readonly read: ReadBy;
  readonly deployments: ReadonlyMap<string, Deployment>;
}

async function openCommit(
  world: World,
  commit: string,
  inline: readonly string[],
): Promise<EarlierCommit> {
  const source = await commitTreeAt(world, commit);
  const listed = await listDeployments(source.tree, world.repositoryName, world.folder);
  const deployments = listed.ok ? listed.value : [];
  return {
    read: readAt(source, inline),
    deployments: new Map(deployments.map((each) => [each.name, each])),
  };
}

/**
 * Whether an earlier push failed, was cancelled, or never came to this deployment: its newest release has not succeeded, is
 * one of a single stage, or was made before something that matters to it changed. A rollback is a person's decision, which only a change of the
 * deployment itself may undo.
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
  if (isHeldBack(release)) return ok(false);
  const { commit: recorded = "", uncommitted } = commitOf(release);
  // What a newer commit has left undone is not for this one to finish.
  if (await isOlder(world, recorded)) return ok(false);
  if (release.status !== "succeeded" || release.onlyStage !== undefined) return ok(true);
  // A record may hold any text, and other revisions than full ids mean what somebody else chooses.
  const commit = isCommit(recorded) ? await world.repository?.resolve(recorded) : undefined;
  // Deploying once more what is there already is cheap; leaving something undone is not.
  if (commit === undefined || uncommitted === true) return ok(true);
  return ok(commit !== before && (await differsSince(commit)));
}

async function isOlder({ repository, relationOf }: World, recorded: string): Promise<boolean> {
  const here = await repository?.resolve("HEAD");
  return here !== undefined && (await relationOf(here, recorded)) === "older";
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
  return recorded.ok ? ok(recorded.value.releases[0]) : recorded;
}
