import { applyPlan } from "../apply/apply.ts";
import type { ApplyResult } from "../apply/result.ts";
import type { Limits } from "../apply/run.ts";
import { UserError, userError } from "../errors.ts";
import type { LayoutNode, Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import type { InputConfig, Release } from "../model/release.ts";
import { toReleased } from "../plan/desired.ts";
import type { DeploymentLock } from "../ports.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { finishRelease, pendingRelease } from "../releases/record.ts";
import { catchProblems } from "./catch-problems.ts";
import { compileDeployment } from "./compile-deployment.ts";
import { type GatheredPlan, gatherPlan } from "./gather-plan.ts";
import { refuseForeign } from "./refuse-foreign.ts";
import {
  pruneReleases,
  type RecordedReleases,
  readReleases,
  recordEnd,
  recordPending,
} from "./release-store.ts";
import type { Target, World } from "./world.ts";

export interface DeployOptions {
  readonly limits: Limits;
  readonly allowDelete: readonly string[];
  /** Wait for another run of this deployment to end, instead of failing. */
  readonly waitForLock: boolean;
  /** The digest of the plan that was approved; another plan is not carried out. */
  readonly expectDigest: string | undefined;
}

/** What is to be there: compiled just now, or recorded by an earlier release. */
export interface Wanted {
  readonly manifests: readonly Manifest[];
  readonly input: InputConfig;
  readonly layout: LayoutNode;
  readonly rollbackOf: number | undefined;
}

export interface DeployOutcome {
  readonly plan: Plan;
  readonly release: Release;
  readonly result: ApplyResult;
}

/** Compile → plan → record → appSetup, app, deletions → record. Throws a UserError when nothing was changed. */
export async function deploy(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  options: DeployOptions,
): Promise<DeployOutcome> {
  const target = connectEarly(world, deployment);
  const compiled = await compileDeployment(world.source, deployment, inline);
  if (!compiled.ok) throw new UserError(compiled.problems);
  const { compilation, input } = compiled.value;
  const refused = refuseForeign(compilation.resources);
  if (refused.length > 0) throw new UserError(refused);
  const manifests = compilation.resources.filter((resource) => resource.type === "manifest");
  const wanted = { manifests, input, layout: compilation.layout, rollbackOf: undefined };
  return underLock(world, { target, deployment, options }, (context) =>
    carryOut(world, context, wanted),
  );
}

/**
 * Credentials, TLS and discovery cost nothing while the engine compiles. What goes wrong with them is said when they
 * are needed: the user's configuration comes first.
 */
function connectEarly(world: World, deployment: Deployment): Promise<Target> {
  const target = world.target(deployment);
  target.then(({ cluster }) => cluster.kind("v1", "Secret")).catch(() => {});
  return target;
}

export interface DeployRequest {
  readonly target: Promise<Target>;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}

export interface DeployContext {
  readonly target: Target;
  readonly lock: DeploymentLock;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}

/** Takes the lock first, so that what is planned cannot be changed by another run before it is done. */
export async function underLock<T>(
  world: World,
  request: DeployRequest,
  work: (context: DeployContext) => Promise<T>,
): Promise<T> {
  const { deployment, options } = request;
  const target = await request.target;
  const lock = await target.lock({
    deployment: deployment.name,
    namespace: deployment.namespace,
    wait: options.waitForLock,
    signal: world.signal,
    onWaiting: (holder) => world.progress(deployment).report({ type: "lock-waiting", holder }),
  });
  try {
    return await work({ target, lock, deployment, options });
  } finally {
    await lock.release();
  }
}

/** Plan, record as pending, apply, record the end. */
export async function carryOut(
  world: World,
  context: DeployContext,
  wanted: Wanted,
): Promise<DeployOutcome> {
  const { target, lock, deployment, options } = context;
  const { cluster } = target;
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const gathered = await gatherPlan(cluster, {
    deployment,
    manifests: wanted.manifests,
    inventory: inventoryOf(recorded.value.releases),
    allowDelete: options.allowDelete,
    purpose: "deploy",
    concurrency: options.limits.concurrency,
    hash: world.hash,
  });
  if (!gathered.ok) throw new UserError(gathered.problems);
  const { plan } = gathered.value;
  refuseOtherPlan(plan, options.expectDigest);
  world.signal.throwIfAborted();
  const progress = world.progress(deployment);
  progress.report(plannedEvent(plan));
  const pending = newRelease(world, recorded.value, gathered.value, wanted);
  const head = await recordPending(cluster, pending, deployment.namespace, world);
  progress.report({ type: "recorded", revision: pending.revision });
  const { clock, signal } = world;
  const result = await applyPlan(
    plan,
    { cluster, clock, progress, signal, lost: lock.lost },
    options.limits,
  );
  const finishedAt = clock.now().toISOString();
  const release = finishRelease(pending, plan, { ...result, finishedAt });
  const ended = await catchProblems(() => recordEnd(cluster, release, head, world));
  const outcome = ended.ok
    ? { plan, release, result }
    : { plan, release: pending, result: withoutRecord(result, release, ended.problems) };
  const kept = plan.kept.map(({ key }) => key);
  if (outcome.release.status === "succeeded") {
    await pruneReleases(cluster, recorded.value, release, kept);
  }
  progress.report({ type: "finished", succeeded: outcome.result.succeeded });
  return outcome;
}

/** What was changed stays changed when its end cannot be recorded: a failure of this run, not a refusal to begin. */
function withoutRecord(
  result: ApplyResult,
  { revision }: Release,
  problems: readonly Problem[],
): ApplyResult {
  const name = `Record of release ${revision}`;
  const about = { key: name, name, resource: undefined, evidence: undefined };
  const failures = problems.map(({ what, fix }) => ({ ...about, what, fix }));
  return { ...result, succeeded: false, failures: [...result.failures, ...failures] };
}

/** A digest may be given in full or by its first characters, as it is shown. */
function refuseOtherPlan(plan: Plan, expected: string | undefined): void {
  if (expected === undefined || (expected.length >= 8 && plan.digest.startsWith(expected))) return;
  throw userError(
    `The plan is ${plan.digest.slice(0, 12)}, not ${expected} as expected: the cluster or the configuration has changed`,
    "Look at the new plan with `qvs diff`, and approve that one",
  );
}

function newRelease(
  world: World,
  recorded: RecordedReleases,
  { plan, declared }: GatheredPlan,
  wanted: Wanted,
): Release {
  return pendingRelease(plan, recorded.releases, {
    revision: recorded.next,
    rollbackOf: wanted.rollbackOf,
    inputConfig: wanted.input,
    expandedConfig: toReleased(declared),
    layout: wanted.layout,
    source: world.origin,
    startedAt: world.clock.now().toISOString(),
  });
}

function plannedEvent(plan: Plan) {
  const unchanged = plan.changes.filter(({ action }) => action === "unchanged").length;
  const upserts = plan.changes.length - unchanged;
  return { type: "planned", upserts, deletions: plan.deletions.length, unchanged } as const;
}
