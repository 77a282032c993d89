import type { Deployment } from "../model/deployment.ts";
import type { Target, World } from "../ports/world.ts";
import { compileDesiredState } from "../runs/compile-desired-state.ts";
import { createReleaseNamespace } from "../runs/create-release-namespace.ts";
import type { DeployOutcome } from "../runs/deploy-outcome.ts";
import { executePlan } from "../runs/execute-plan.ts";
import { goBackAfterFailure } from "../runs/go-back.ts";
import { planWithoutLock } from "../runs/plan-without-lock.ts";
import { type DeployContext, type DeployOptions, withLock } from "../runs/with-lock.ts";

/** Compile → plan → record → appSetup, app, deletions → record. Throws a UserError when nothing was changed. */
export async function deploy(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  options: DeployOptions,
): Promise<DeployOutcome> {
  const target = connectEarly(world, deployment);
  world.progress(deployment).report({ type: "preparing", step: "compiling" });
  const desired = await compileDesiredState(world, deployment, inline);
  let isBegun = false;
  const createNamespace = async () => {
    isBegun = await createReleaseNamespace(world, target, { deployment, options }, desired);
    return isBegun;
  };
  const planBeforeLock = async () =>
    planWithoutLock(world, { target: await target, deployment, options }, desired);
  const does = "deploy" as const;
  const before = { desired: async () => desired, planBeforeLock, createNamespace };
  const request = { target, deployment, options, does, ...before };
  return withLock(world, request, async (context) => {
    const outcome = await executePlan(world, isBegun ? asApproved(context) : context, desired);
    return options.onFailure === "rollback" ? goBackAfterFailure(world, context, outcome) : outcome;
  });
}

/**
 * The plan was compared with the approved one before its first change, which is not a part of what is planned now. What is only to be
 * told is told of the rest.
 */
function asApproved(context: DeployContext): DeployContext {
  const { expected } = context.options;
  const told = expected?.policy === "warn" ? expected : undefined;
  return { ...context, options: { ...context.options, expected: told } };
}

/**
 * Credentials, TLS and discovery cost no time while the engine compiles. Their errors are reported when they are
 * needed: errors of the configuration come first.
 */
function connectEarly(world: World, deployment: Deployment): Promise<Target> {
  const target = world.target(deployment);
  target.then(({ cluster }) => cluster.kind("v1", "Secret")).catch(() => {});
  return target;
}
