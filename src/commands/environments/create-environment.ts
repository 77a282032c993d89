import { chartCapabilities, openOnce } from "../../deploying/chart-capabilities.ts";
import { compileDesiredState } from "../../deploying/compile-desired-state.ts";
import type { DeployOutcome } from "../../deploying/deploy-outcome.ts";
import { executePlan } from "../../deploying/execute-plan.ts";
import { planWithoutLock, predictWithoutLock } from "../../deploying/plan-without-lock.ts";
import { type Announce, withLock } from "../../deploying/with-lock.ts";
import { type DeployRequest, defaultRequest } from "../../model/deployments/deploy-request.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { environmentKinds } from "../../plan/environment-limits.ts";
import type { DesiredState } from "../../planning/desired-state.ts";
import { requireExecutable } from "../../planning/planned-deployment.ts";
import type { TargetCluster, World } from "../../ports/world.ts";
import { readReleases } from "../../releases/store.ts";

/** Returns the reason not to deploy an environment any more; undefined to deploy it. */
type CreationGuard = () => Promise<Problem | undefined>;

/**
 * Creates the environment of a pull request, or deploys its new commit.
 * It plans like a preview first, and writes nothing if the environment is blocked or doesn't fit.
 * `guard` runs under the lock, because the pull request can be closed until then.
 */
export async function createEnvironment(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  request: DeployRequest,
  { guard, announce }: { readonly guard?: CreationGuard; readonly announce?: Announce } = {},
): Promise<DeployOutcome> {
  const open = openOnce(world, deployment);
  const capabilities = chartCapabilities(world, deployment, open, { request });
  const desired = await compileDesiredState(world, deployment, inline, capabilities);
  const target = await open();
  await requireFit(world, { target, deployment, request }, desired);
  const run = {
    ...{ target: Promise.resolve(target), deployment, request, announce },
    does: "deploy" as const,
    desired: async () => desired,
    planBeforeLock: () => planWithoutLock(world, { target, deployment, request }, desired),
  };
  return withLock(world, run, async (context) => {
    const why = await guard?.();
    if (why === undefined) return executePlan(world, context, desired);
    const recorded = await readReleases(context.lock.cluster, deployment, world);
    if (recorded.ok && recorded.value.secrets.length === 0) context.endLock();
    return { type: "superseded", why };
  });
}

/** Throws a UserError if the plan is blocked, or if a finding predicts that it fails. */
async function requireFit(
  world: World,
  subject: {
    readonly target: TargetCluster;
    readonly deployment: Deployment;
    readonly request: DeployRequest;
  },
  desired: DesiredState,
): Promise<void> {
  const { findings } = requireExecutable(await predictWithoutLock(world, subject, desired));
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  throw new UserError(errors.map((finding) => misfit(subject.deployment, finding)));
}

function misfit({ name }: Deployment, { what, why, fix, code }: Finding): Problem {
  return {
    code: "environment-does-not-fit",
    where: [],
    what: `"${name}" doesn't fit: ${what}`,
    ...(why === "" ? {} : { why }),
    facts: [{ label: "finding", value: code }],
    fix: fix === "" ? "Correct the config, or delete environments that no one needs" : fix,
  };
}

/** The parts of a request that decide how a run of an environment waits. */
export type EnvironmentRun = Pick<DeployRequest, "limits" | "overrideFreeze" | "waitForLock">;

/**
 * Returns the request that deploys an environment.
 * It deletes volumes that are no longer declared, because an environment has no data to keep. It
 * compares no commits: the checkout of a pull request is a test merge without descendants.
 */
export function environmentRequest(run: EnvironmentRun): DeployRequest {
  const { conflicts } = defaultRequest.policy;
  const policy = { allowDelete: ["PersistentVolumeClaim", "VolumeSnapshot"], conflicts };
  return { ...defaultRequest, ...runParts(run), policy, whenOlder: undefined };
}

/** Returns the request that deletes an environment with everything in it. */
export function environmentDeletionRequest(run: EnvironmentRun): DeployRequest {
  const { conflicts } = defaultRequest.policy;
  const policy = { allowDelete: environmentKinds, conflicts, keepRevisions: 0 };
  return { ...defaultRequest, ...runParts(run), policy };
}

/** Leaves out every other part: a caller can pass a whole request of a deployment. */
function runParts({ limits, overrideFreeze, waitForLock }: EnvironmentRun): EnvironmentRun {
  return { limits, overrideFreeze, waitForLock };
}
