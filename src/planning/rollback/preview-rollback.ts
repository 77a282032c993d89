import { defaultRequest, type PlanningRequest } from "../../model/deployments/deploy-request.ts";
import type { Release } from "../../model/deployments/release.ts";
import type { Plan, Step } from "../../model/plan/plan.ts";
import type { RollbackObstacle, RollbackPreview } from "../../model/plan/predictions.ts";
import { type Finding, isOpen } from "../../model/problems/finding.ts";
import { ok, type Problem } from "../../model/problems/problem.ts";
import { changesCluster } from "../../releases/current-release.ts";
import { keptByDefault, revisionsToPrune } from "../../releases/prune.ts";
import type { RecordedReleases } from "../../releases/store.ts";
import { allowEverything, protectedKinds } from "../../ssa/protection.ts";
import { type DesiredState, recordedState } from "../desired-state.ts";
import type { ExecutablePlan, PlannedDeployment } from "../planned-deployment.ts";
import { isReadByUser, type PlanningContext } from "../planning-context.ts";
import { projectedCluster } from "../projected-cluster.ts";
import { clusterAfterPlan } from "./cluster-after-plan.ts";
import { lossesOfPlan, obstacleKey } from "./losses-of-plan.ts";
import { undoPlainUpdates } from "./plain-updates.ts";
import { policiesAfterPlan } from "./policies-after-plan.ts";
import { releasesAfterPlan } from "./release-after-plan.ts";
import {
  quotesMissingAnswer,
  type RememberedCluster,
  unreadDeletions,
} from "./remember-answers.ts";
import { conflictsAfterScaling, deletesScaler } from "./replicas-after-plan.ts";
import {
  blockerObstacle,
  effectNotes,
  findingObstacle,
  unreadFacts,
} from "./rollback-obstacles.ts";

type MakePlan = (context: PlanningContext, desired: DesiredState) => Promise<PlannedDeployment>;

/** A plan, and the answers that it got from the cluster. */
interface PlanToUndo {
  readonly planned: ExecutablePlan;
  readonly desired: DesiredState;
  readonly memory: RememberedCluster;
}

/**
 * Plans the rollback of a plan to the current release, on the cluster as the plan will leave it.
 * `makePlan` makes the plan of a real rollback, so nothing is decided in two places. It asks the
 * cluster only about permissions. Undefined if the plan changes nothing, if there is no release to
 * return to, or if a deployment hasn't read enough.
 */
export async function previewRollback(
  context: PlanningContext,
  { planned, desired, memory }: PlanToUndo,
  makePlan: MakePlan,
): Promise<RollbackPreview | undefined> {
  const { plan, recorded } = planned;
  const target = recorded.current;
  if (target === undefined || !changesCluster(plan)) return undefined;
  const after = releasesAfterPlan(planned, desired, context.now);
  const { keepReleases = keptByDefault } = context.request;
  if (isPruned(target, after, plan, keepReleases)) return prunedTarget(target, keepReleases);
  const plainUpdates = undoPlainUpdates(planned, target);
  if (plainUpdates !== undefined) return plainUpdates;
  const present = projectedCluster(memory.remembering, context.upstream);
  const rollbackContext: PlanningContext = {
    ...context,
    cluster: clusterAfterPlan(present, plan),
    recorded: Promise.resolve(ok(after)),
    upstream: undefined,
    checkPlan: undefined,
    listing: undefined,
    isChangedHere: undefined,
    // Under the lock, qvs reads fewer facts, so that only blockers and losses are known.
    omitsFindings: isReadByUser(context) ? undefined : true,
    dryRuns: "all",
    dryRunLock: async () => undefined,
  };
  const restored = recordedState(target, after);
  const attempt = (request: PlanningRequest, cluster = rollbackContext.cluster) =>
    makePlan({ ...rollbackContext, cluster, request }, restored);
  const request = plainRequest(context.request);
  const plain = await attempt(request);
  const allowed = plain.executable ? plain : await attempt(allowingRequest(context.request));
  const isScaled = allowed.plan !== undefined && deletesScaler(allowed.plan);
  const scaled = isScaled
    ? await attempt(request, clusterAfterPlan(present, plan, "another number"))
    : undefined;
  const attempts = { plain, allowed, scaled, unanswered: memory.unanswered() };
  const rollback = summarize(attempts, target, planned);
  // A deployment decides about the same facts as its preview, which has read more.
  const lacksFacts = !allowed.executable && rollback.possible === undefined;
  return lacksFacts && !isReadByUser(context) ? undefined : rollback;
}

/**
 * Reports whether a deployment predicts its rollback without a requirement: if it deletes or
 * replaces an object, or takes ownership of fields.
 */
export function needsPrediction({ changes, deletions }: Plan): boolean {
  return deletions.length > 0 || changes.some(({ steps }) => steps.some(isConsequential));
}

function isConsequential({ type }: Step): boolean {
  return type !== "apply" && type !== "remove-default" && type !== "migrate-api-version";
}

/** Reports whether the deployment deletes the record of the release to which it could return. */
function isPruned(
  { revision }: Release,
  after: RecordedReleases,
  { kept }: Plan,
  keepReleases: number,
): boolean {
  const newest = after.releases.slice(0, keepReleases);
  if (newest.some((each) => each.revision === revision)) return false;
  const keys = kept.map(({ key }) => key);
  return revisionsToPrune(after, keys, keepReleases).includes(revision);
}

function prunedTarget({ revision }: Release, keepReleases: number): RollbackPreview {
  const reason = {
    what: `The deployment deletes release ${revision}`,
    why: `qvs keeps ${keepReleases === 1 ? "only its own release" : `the newest ${keepReleases} releases`}`,
    fix: "Deploy with a larger value of --keep-releases",
  };
  const nothing = { objects: 0, lost: [], notes: [], needs: [] };
  return { to: revision, possible: false, reasons: [reason], ...nothing };
}

/** Returns the request of a rollback without flags. */
function plainRequest({ limits, overrideFreeze, policy }: PlanningRequest): PlanningRequest {
  const { keepRevisions } = policy;
  return {
    ...defaultRequest,
    ...{ limits, overrideFreeze, whenOlder: undefined },
    policy: { ...defaultRequest.policy, keepRevisions },
  };
}

/** Returns the request of a rollback with every flag that can help. */
function allowingRequest(request: PlanningRequest): PlanningRequest {
  const plain = plainRequest(request);
  return {
    ...plain,
    allowIrreversible: true,
    allowOutsideNamespace: true,
    policy: {
      ...plain.policy,
      allowDelete: [...protectedKinds.keys(), allowEverything],
      conflicts: { force: true, takeover: [] },
    },
  };
}

interface Attempts {
  /** The plan without flags. */
  readonly plain: PlannedDeployment;
  /** The plan with every flag; the same one if no flag is needed. */
  readonly allowed: PlannedDeployment;
  /** The plan without flags after an autoscaler has set another number; undefined if none can. */
  readonly scaled: PlannedDeployment | undefined;
  /** The number of facts that the deployment's own plan didn't read. */
  readonly unanswered: number;
}

function summarize(
  { plain, allowed, scaled, unanswered }: Attempts,
  target: Release,
  planned: ExecutablePlan,
): RollbackPreview {
  const { plan } = allowed;
  const { certain, unknown } = findReasons(allowed, planned, unanswered);
  const isUnknown = certain.length === 0 && unknown.length > 0;
  const reasons = isUnknown ? unknown : certain;
  const predicted = newFindings(allowed.findings, planned.findings);
  return {
    to: target.revision,
    possible: isUnknown ? undefined : reasons.length === 0,
    objects: plan === undefined ? 0 : changedObjects(plan),
    lost: distinctObstacles(findLosses(planned.plan, plan, allowed.findings, target)),
    reasons: distinctObstacles(reasons),
    notes:
      plan === undefined || reasons.length > 0
        ? []
        : distinctObstacles([
            ...effectNotes(planned.plan, plan, predicted),
            ...conflictsAfterScaling(blockersOf(scaled), blockersOf(plain), planned.plan),
          ]),
    needs: plain.executable || reasons.length > 0 ? [] : neededInputs(plain.blockers),
  };
}

function blockersOf(planned: PlannedDeployment | undefined): readonly Problem[] {
  return planned === undefined || planned.executable ? [] : planned.blockers;
}

interface RollbackReasons {
  /** The reasons why a rollback isn't possible. */
  readonly certain: readonly RollbackObstacle[];
  /** The reasons why qvs can't decide whether it is possible and complete. */
  readonly unknown: readonly RollbackObstacle[];
}

function findReasons(
  undo: PlannedDeployment,
  { plan, findings }: ExecutablePlan,
  unanswered: number,
): RollbackReasons {
  const blockers = blockersOf(undo);
  // Without a plan, each problem can be the consequence of a fact that wasn't read.
  const isUnread = (problem: Problem) =>
    quotesMissingAnswer(problem) || (undo.plan === undefined && unanswered > 0);
  const toReason = (problem: Problem) => blockerObstacle(problem, plan);
  const failing = newFindings(undo.findings, findings).filter(
    ({ code, severity }) => severity === "error" && !effectCodes.has(code),
  );
  const policies = undo.plan === undefined ? noPolicies : policiesAfterPlan(plan, undo.plan);
  return {
    certain: [
      ...blockers.filter((each) => !isUnread(each)).map(toReason),
      ...(blockers.length > 0 ? [] : failing.map(findingObstacle)),
      ...policies.denied,
    ],
    unknown: [
      ...blockers.filter(isUnread).map(toReason),
      ...unreadFacts(plan),
      ...policies.undecided,
    ],
  };
}

const noPolicies = { denied: [], undecided: [] } as const;

/** Leaves out the findings about the deployment itself: they aren't effects of a rollback. */
function newFindings(found: readonly Finding[], known: readonly Finding[]): readonly Finding[] {
  const idOf = ({ code, severity, object }: Finding) => JSON.stringify([code, severity, object]);
  const reported = new Set(known.map(idOf));
  return found.filter(
    (each) => isOpen(each) && (effectCodes.has(each.code) || !reported.has(idOf(each))),
  );
}

/** The findings about losses and migrations. They are effects even if the deployment has them. */
const effectCodes: ReadonlySet<string> = new Set([
  ...["data-lost", "kept-object-missing", "migration-completed"],
]);

/**
 * Returns the parts of the present state that the rollback doesn't restore. An object that the
 * rollback reports is reported only once.
 */
function findLosses(
  plan: Plan,
  undo: Plan | undefined,
  findings: readonly Finding[],
  { results }: Release,
): readonly RollbackObstacle[] {
  const found = findings.filter((each) => isOpen(each) && isPresentLoss(each)).map(findingObstacle);
  const reported = new Set(found.flatMap((each) => obstacleKey(each) ?? []));
  const kept = new Set(results.filter(({ outcome }) => outcome === "kept").map(({ key }) => key));
  return [...lossesOfPlan(plan, undo, { reported, kept }), ...found];
}

/**
 * Reports whether a finding about the rollback concerns data that exists now. A warning about
 * claims concerns those that the deployment creates.
 */
function isPresentLoss({ code, severity }: Finding): boolean {
  return code === "kept-object-missing" || (code === "data-lost" && severity === "error");
}

function changedObjects(undo: Plan): number {
  const changed = undo.changes.filter(({ action }) => action !== "unchanged");
  return changed.length + undo.deletions.length + unreadDeletions(undo).length;
}

/** Returns each input once, with all its values: `allow-delete: Namespace,everything`. */
function neededInputs(
  blockers: readonly { readonly inputs?: readonly string[] | undefined }[],
): readonly string[] {
  const inputs = blockers.flatMap((blocker) => blocker.inputs ?? []);
  const byName = Map.groupBy(inputs, (input) => input.slice(0, input.indexOf(separator)));
  return [...byName]
    .map(([name, same]) => {
      const values = same.map((input) => input.slice(name.length + separator.length));
      return `${name}${separator}${[...new Set(values)].toSorted().join(",")}`;
    })
    .toSorted();
}

const separator = ": ";

function distinctObstacles(obstacles: readonly RollbackObstacle[]): readonly RollbackObstacle[] {
  const byText = new Map(obstacles.map((each) => [JSON.stringify([each.object, each.what]), each]));
  return [...byText.values()];
}
