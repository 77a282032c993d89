import { isList, isObject, replaceValues } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { containsSecret, scalarTexts } from "../model/plan/apply-time-reference.ts";
import type { Change, Plan } from "../model/plan/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Manifest } from "../model/sources/compilation.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { objectSecrets } from "../redaction/sensitive-values.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import { pickFields } from "../ssa/field-sets.ts";
import { deploymentFields, isAppliedAlone } from "../ssa/managed-fields.ts";
import { findUnservedVersions, replaceUnknownKinds } from "./checks/check-rollback.ts";
import { decidePlan } from "./decide-plan.ts";
import { deletionBasis } from "./deletion-basis.ts";
import { withDeletionHooks, withHookAdvice } from "./deletion-hooks.ts";
import { type DesiredState, isFromCommit, rollbackTarget } from "./desired-state.ts";
import { withRolesAdvice } from "./permissions/find-denied-permissions.ts";
import { plannedCommand } from "./permissions/required-permissions.ts";
import { type PlanContext, readPlanContext } from "./plan-context.ts";
import { blockedPlan, type PlannedDeployment, scrubTexts } from "./planned-deployment.ts";
import { isReadByUser, type PlanningContext } from "./planning-context.ts";
import { type PlanBasis, preparePlan } from "./prepare-plan.ts";
import { projectedCluster } from "./projected-cluster.ts";
import { needsPrediction, previewRollback } from "./rollback/preview-rollback.ts";
import { rememberAnswers } from "./rollback/remember-answers.ts";
import { withRollback } from "./rollback/with-rollback.ts";

/**
 * Makes the plan for every preview, deployment, dry run and rollback; no other function does.
 * It reads the cluster, sends dry runs, decides, and reports everything that blocks the deployment.
 * It writes nothing.
 */
export async function planDeployment(
  given: PlanningContext,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  if (given.predictsRollback !== true || !isFromCommit(desired)) return planOnce(given, desired);
  const memory = rememberAnswers(given.cluster);
  const planned = await planOnce({ ...given, cluster: memory.asking }, desired);
  if (!planned.executable) return planned;
  const isRequired = given.deployment.require === "reversible";
  // A deployment without a requirement must not cost more if a rollback restores everything.
  if (!isReadByUser(given) && !isRequired && !needsPrediction(planned.plan)) return planned;
  const rollback = await previewRollback(given, { planned, desired, memory }, planOnce);
  return rollback === undefined ? planned : withRollback(planned, rollback, given, desired);
}

/** Makes one plan, without the plan of its rollback. */
async function planOnce(given: PlanningContext, desired: DesiredState): Promise<PlannedDeployment> {
  const context = { ...given, cluster: projectedCluster(given.cluster, given.upstream) };
  const made = await makePlan(context, desired);
  const scrubbed = scrubTexts(made.planned, made.hides ?? []);
  const planned = hideLiveSecrets(scrubbed, desired.manifests, isFromCommit(desired));
  if (planned.executable) return planned;
  return { ...planned, blockers: planned.blockers.map(withRoles(context, desired)) };
}

/** Returns a plan with the strings that it must not show, such as those of recorded hooks. */
async function makePlan(
  context: PlanningContext,
  given: DesiredState,
): Promise<{ readonly planned: PlannedDeployment } & Pick<DesiredState, "hides">> {
  const read = await readPlanContext(context, given);
  if (!read.ok) return { planned: read.ends, hides: given.hides };
  const desired = withDeletionHooks(given, read.value.recorded, context);
  const basis = withBlockers(read.value, desired === given ? [] : desired.unsupported);
  const prepared = await preparePlan(context.cluster, toPlanBasis(context, desired, basis));
  if (!prepared.ok) {
    const unserved = await findUnservedVersions(
      context.cluster,
      desired.manifests,
      rollbackTarget(desired),
    );
    const problems = replaceUnknownKinds(prepared.problems, unserved);
    const blocked = blockedPlan(undefined, basis.recorded, basis.blockers, problems);
    const planned = { ...withHookAdvice(blocked, desired), findings: unserved };
    return { planned, hides: desired.hides };
  }
  const decided = await decidePlan(context, desired, basis, prepared.value);
  return { planned: withHookAdvice(decided, desired), hides: desired.hides };
}

function withBlockers(basis: PlanContext, more: readonly Problem[]): PlanContext {
  return more.length === 0 ? basis : { ...basis, blockers: [...basis.blockers, ...more] };
}

function toPlanBasis(
  context: PlanningContext,
  desired: DesiredState,
  basis: PlanContext,
): PlanBasis {
  const { recorded, otherSource } = basis;
  const { request, purpose, dryRuns, upstream, hash } = context;
  const { adopt, onlyStage, limits } = request;
  const { rules, inventory, history } = deletionBasis(context, desired, recorded, otherSource);
  return {
    rules: {
      ...rules,
      ...{ adopt, onlyStage, purpose, dryRuns, upstream, hash },
      recorded: basis.isFromRecord,
      release: desired.rollbackOf,
      isOtherSource: otherSource !== undefined,
      hides: desired.hides,
      checks: desired.checks,
      capabilities: desired.capabilities,
      health: desired.input.health,
      // A correction runs no checks, so it must not delete their Jobs either.
      hasCheckJobs:
        desired.corrects === undefined && [desired, ...recorded.releases].some(hasCheckJob),
      corrects: desired.corrects !== undefined,
    },
    manifests: desired.manifests,
    // A record declares no objects that could have moved to another deployment.
    declaredElsewhere: isFromCommit(desired) ? context.declaredElsewhere : undefined,
    concurrency: limits.concurrency,
    ...{ inventory, history },
  };
}

function hasCheckJob({ checks = [] }: Pick<DesiredState, "checks">): boolean {
  return checks.some(({ type }) => type === "job");
}

/** Adds the command that prints the roles to each missing permission. */
function withRoles(context: PlanningContext, desired: DesiredState): (told: Problem) => Problem {
  const { name } = context.deployment;
  const command = plannedCommand(context, desired);
  return (problem) => withRolesAdvice(problem, command, name);
}

/**
 * Hides secrets that only the live objects contain: values that other field managers wrote, and
 * values that secret parameters had in earlier releases.
 * When such a parameter changes, the live object still contains the former value, which no current
 * value hides. A plan of a record hides these values already. Values in the manifest stay visible.
 * Otherwise a preview would confirm a value that a user guessed.
 */
export function hideLiveSecrets(
  planned: PlannedDeployment,
  manifests: readonly Manifest[],
  isFromCommit: boolean,
): PlannedDeployment {
  const texts = isFromCommit ? hiddenInAny(planned.recorded?.releases ?? []) : [];
  const hideInPlan = (plan: Plan): Plan => ({
    ...plan,
    changes: plan.changes.map((change) => {
      const { live } = change;
      if (live === undefined) return change;
      const isOwn = isAppliedAlone(live, plan.deployment);
      if (isOwn && texts.length === 0) return change;
      const manifest = manifestTexts(change, manifests);
      const foreign = isOwn ? noTexts : foreignSecrets(live, plan.deployment, manifest);
      return hideLiveTexts(change, { texts, foreign, manifest });
    }),
  });
  if (planned.executable) return { ...planned, plan: hideInPlan(planned.plan) };
  return planned.plan === undefined ? planned : { ...planned, plan: hideInPlan(planned.plan) };
}

/**
 * Collects the texts of the manifest.
 * The sent object can also contain live values that qvs keeps, which the manifest doesn't contain.
 */
function manifestTexts(
  { desired, keeps, stage, resource }: Change,
  manifests: readonly Manifest[],
) {
  const manifest =
    keeps && manifests.find((each) => each.stage === stage && each.id === resource)?.object;
  return new Set(scalarTexts(manifest ?? desired));
}

/**
 * Returns the strings of a live object that another field manager wrote, that can be secrets and
 * that aren't known, such as the variable `DB_PASSWORD` after `kubectl set env`. No file of the
 * repository contains them. Secrets have their own rules.
 */
function foreignSecrets(
  live: KubeObject,
  deployment: string,
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  if (canContainSecrets(live)) return noTexts;
  const secrets = objectSecrets(live, known);
  if (secrets.length === 0) return noTexts;
  const fields = deploymentFields(live, deployment);
  const own = Object.keys(fields).length === 0 ? undefined : pickFields(live, fields);
  return new Set(secrets).difference(new Set(own === undefined ? [] : scalarTexts(own)));
}

const noTexts: ReadonlySet<string> = new Set();

interface HiddenTexts {
  /** Strings that every text hides that contains them. */
  readonly texts: readonly string[];
  /** Texts that are hidden as a whole. */
  readonly foreign: ReadonlySet<string>;
  /** Texts that stay visible. */
  readonly manifest: ReadonlySet<string>;
}

function hideLiveTexts(change: Change, { texts, foreign, manifest }: HiddenTexts): Change {
  const { live, predicted } = { ...change, ...change.redacted };
  if (live === undefined || texts.length + foreign.size === 0) return change;
  const isHidden = (text: string) =>
    !manifest.has(text) && (foreign.has(text) || containsSecret(texts, text));
  if (!scalarTexts(live).some(isHidden)) return change;
  const redacted = {
    live: hideTexts(live, isHidden),
    predicted: predicted && hideTexts(predicted, isHidden),
    desired: hideTexts(change.desired, isHidden),
    isComplete: change.redacted?.isComplete ?? true,
  };
  return { ...change, redacted };
}

function hideTexts(object: KubeObject, isHidden: (text: string) => boolean): KubeObject {
  const shown = replaceValues(object, (value) => {
    const isText = !isList(value) && !isObject(value) && value !== null;
    return isText && isHidden(String(value)) ? "(hidden)" : undefined;
  });
  // The API version and the kind reveal nothing that the change doesn't show.
  const { apiVersion, kind } = object;
  return { ...shown, apiVersion, kind };
}
