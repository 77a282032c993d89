import type { Compilation } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { ok, type Problem, type Result } from "../model/problem.ts";
import type { Release } from "../model/release.ts";
import { catchProblems } from "./catch-problems.ts";
import { commitTreeAt } from "./commit-source.ts";
import { compileDeployment } from "./compile-deployment.ts";
import { findChanged } from "./find-changed.ts";
import { inParallel } from "./in-parallel.ts";
import { listDeployments } from "./list-deployments.ts";
import { readReleases } from "./release-store.ts";
import type { Source, World } from "./world.ts";

export interface Push {
  /** The branch's commit before the push; undefined when it is new. */
  readonly before: string | undefined;
  readonly inline: readonly string[];
  /** What is said instead of its entry in deployments.yaml, at every commit: it is no change. */
  readonly adjusted: (deployment: Deployment) => Deployment;
  /** Whether the cluster can be asked for what earlier pushes left undone. */
  readonly asksCluster: boolean;
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
  const differsFrom = differences(world, push);
  const found = await inParallel(chosen, atOnce, async (deployment) => {
    const compiled = await compileDeployment(world.source, deployment, push.inline, "deploy");
    const head = compiled.ok ? compiled.value.compilation : undefined;
    const since = (commit: string) => differsFrom(commit, deployment, head);
    const wanted = (await since(before))
      ? ok(true)
      : await leftUndone(world, deployment, push, since);
    return { deployment, wanted };
  });
  return {
    deployments: found.flatMap(({ deployment, wanted }) =>
      wanted.ok && wanted.value ? [deployment] : [],
    ),
    notices: found.flatMap(({ wanted }) => (wanted.ok ? [] : wanted.problems)),
  };
}

/** Workers have enough to choose from, and the cluster is not asked for the records of all at the same time. */
const atOnce = 16;

/** Whether a deployment differs from what it was at a commit. Each commit is opened once, for all of them. */
function differences(world: World, { inline, adjusted }: Push) {
  const isChanged = findChanged(world);
  const opened = new Map<string, Promise<EarlierCommit>>();
  const open = (commit: string) => {
    const known = opened.get(commit) ?? openCommit(world, commit);
    opened.set(commit, known);
    return known;
  };
  return async (commit: string, deployment: Deployment, head: Compilation | undefined) => {
    const { source, deployments } = await open(commit);
    const [before] = deployments.filter(({ name }) => name === deployment.name).map(adjusted);
    const compiled =
      before === undefined ? undefined : await compileDeployment(source, before, inline, "deploy");
    const base = compiled?.ok ? compiled.value.compilation : undefined;
    return isChanged(commit, { deployment, before, base, head });
  };
}

interface EarlierCommit {
  readonly source: Source;
  readonly deployments: readonly Deployment[];
}

async function openCommit(world: World, commit: string): Promise<EarlierCommit> {
  const source = await commitTreeAt(world, commit);
  const listed = await listDeployments(source.tree, world.repositoryName);
  return { source, deployments: listed.ok ? listed.value : [] };
}

/**
 * Whether an earlier push failed, was cancelled, or never came to this deployment: its newest release has not succeeded, is
 * one of a single stage, or was made before something that matters to it changed. A rollback is a person's decision, which only a change of the
 * deployment itself may undo.
 */
async function leftUndone(
  world: World,
  deployment: Deployment,
  { before, asksCluster }: Push,
  differsSince: (commit: string) => Promise<boolean>,
): Promise<Result<boolean>> {
  if (!asksCluster) return ok(false);
  const newest = await newestRelease(world, deployment);
  if (!newest.ok) return newest;
  const release = newest.value;
  if (release === undefined) return ok(true);
  if (release.rollbackOf !== undefined) return ok(false);
  if (release.status !== "succeeded" || release.onlyStage !== undefined) return ok(true);
  const commit = await world.repository?.resolve(release.source.commit ?? "");
  // Deploying once more what is there already is cheap; leaving something undone is not.
  if (commit === undefined) return ok(true);
  return ok(commit !== before && (await differsSince(commit)));
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
