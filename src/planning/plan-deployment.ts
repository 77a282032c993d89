import type { Plan } from "../model/plan.ts";
import type { Finding } from "../model/problems/finding.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ReleasedManifest } from "../model/release.ts";
import { restoredBy } from "../plan/approval/restores.ts";
import { toReleased } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { problemsOfRecordedRights } from "../plan/outside-namespace.ts";
import { nameCollisions } from "../plan/ownership/name-collisions.ts";
import { ofNotice } from "../preflight/rules/missing-permission.ts";
import { takenAlong } from "../preflight/rules/taken-along.ts";
import { historyOf } from "../releases/history.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import { type RecordedReleases, readReadableReleases } from "../releases/store.ts";
import { type NextPlan, unfinishedRelease } from "../releases/unfinished-release.ts";
import { mayTellWhatIsLive, noticesOf, whyNothingIsDeleted } from "../releases/unreadable.ts";
import { withOtherStage } from "../releases/with-other-stage.ts";
import { adviseOnRecord } from "./checks/advise-on-record.ts";
import { checkCommitOrder } from "./checks/check-commit-order.ts";
import { checkCorrection } from "./checks/check-correction.ts";
import { checkDeletions } from "./checks/check-deletions.ts";
import { checkFreeze } from "./checks/check-freeze.ts";
import {
  blockersOfVersions,
  checkGoingBack,
  versionsNotServed,
} from "./checks/check-going-back.ts";
import { checkLockAndRecord } from "./checks/check-lock-and-record.ts";
import { checkRemoval } from "./checks/check-removal.ts";
import { checkRights } from "./checks/check-rights.ts";
import type { Checked } from "./checks/checked.ts";
import { withCures } from "./checks/told-once.ts";
import { type DesiredState, goesBackTo, isOfCommit } from "./desired-state.ts";
import { blocked, type PlannedDeployment, withoutTexts } from "./planned-deployment.ts";
import { isRead, type PlanningContext } from "./planning-context.ts";
import { dependencyNotices, preflight, withoutKept } from "./preflight.ts";
import { type PreparedPlan, preparePlan } from "./prepare-plan.ts";
import type { RightsCommand } from "./rights/right.ts";
import { rbacCommand } from "./rights/rights-problem.ts";
import { withholdFormerParams } from "./withhold-former-params.ts";

/**
 * The only way to a plan, for previews, deployments, dry-runs and rollbacks: reads what the cluster holds, asks it by dry-run,
 * decides, and says everything that makes a deployment refuse. Writes nothing.
 */
export async function planDeployment(
  context: PlanningContext,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  const made = withoutTexts(await plan(context, desired), desired.hides ?? []);
  const planned = isOfCommit(desired) ? withholdFormerParams(made, desired.manifests) : made;
  if (planned.executable) return planned;
  const blockers = planned.blockers.map(withRoles(context, desired));
  const { rollbackOf } = desired;
  const isRecord = rollbackOf !== undefined;
  return { ...planned, blockers: isRecord ? blockers.map(adviseOnRecord(rollbackOf)) : blockers };
}

async function plan(context: PlanningContext, desired: DesiredState): Promise<PlannedDeployment> {
  const { cluster, deployment, source } = context;
  // Beside the releases, which it does not depend on: each answer of a distant cluster costs its time.
  const freezing = checkFreeze(context);
  // Where the plan ends before it is awaited, nobody else would hear of its failure.
  freezing.catch(() => {});
  const recorded = await (context.recorded ?? readReadableReleases(cluster, deployment, context));
  if (!recorded.ok) return blocked(undefined, undefined, desired.unsupported, recorded.problems);
  const { releases, unreadable } = recorded.value;
  const elsewhere = context.adopt ? undefined : problemOfOtherSource(releases, source, deployment);
  const inOrder =
    elsewhere === undefined && isOfCommit(desired)
      ? await checkCommitOrder(context, releases)
      : undefined;
  if (inOrder?.superseded !== undefined) {
    const { superseded } = inOrder;
    return {
      executable: false,
      plan: undefined,
      recorded: recorded.value,
      blockers: [],
      findings: [],
      superseded,
    };
  }
  const notRemoved = desired.removedByCommit === true ? await checkRemoval(context, releases) : [];
  const freeze = await freezing;
  const byRecord = desired.rollbackOf !== undefined && !context.allowOutsideNamespace;
  const prepared = await preparePlan(cluster, {
    rules: {
      ...context,
      deployment: deployment.name,
      namespace: deployment.namespace,
      recorded: byRecord,
      release: desired.rollbackOf,
      isOtherSource: elsewhere !== undefined,
      hides: desired.hides,
      deletes: desired.deletes,
      goesBack: desired.rollbackOf !== undefined,
      corrects: desired.corrects !== undefined,
      onlyKeys: desired.onlyKeys,
      nothingGoes: whyNothingIsDeleted(unreadable, releases),
    },
    manifests: desired.manifests,
    concurrency: context.concurrency,
    // What others have deployed is neither shown nor deleted.
    inventory: elsewhere === undefined ? inventoryOf(releases) : [],
    history: historyOf(releases),
  });
  const known = [
    ...freeze.blockers,
    ...desired.unsupported,
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...(inOrder?.blockers ?? []),
    ...notRemoved,
  ];
  if (!prepared.ok) {
    const lost = await versionsNotServed(cluster, desired.manifests, goesBackTo(desired));
    const problems = blockersOfVersions(prepared.problems, lost);
    return { ...blocked(undefined, recorded.value, known, problems), findings: lost };
  }
  const { plan: prediction, problems, declared } = prepared.value;
  const [checked, foretold] = await Promise.all([
    check(context, prepared.value, recorded.value, commandOf(context, desired)),
    foretell(context, desired, prepared.value, recorded.value),
  ]);
  const allowed = context.allowIrreversible === true;
  const back = checkGoingBack(prediction, { releases, to: goesBackTo(desired), allowed });
  const again = checkCorrection(prediction, { releases, corrects: desired.corrects, allowed });
  const expanded = expandManifests(context, declared, recorded.value);
  const blockers = [
    ...known,
    ...problems,
    ...(byRecord ? problemsOfRecordedRights(prediction.changes, prediction) : []),
    ...checked.blockers,
    ...back.blockers,
    ...again.blockers,
    ...expanded.problems,
  ];
  const { notices, findings } = withRights(context, prediction, checked.notices, [
    ...back.findings,
    ...again.findings,
    ...foretold.findings,
  ]);
  const told = withNotices(foretold.plan, [
    ...(isRead(context) && elsewhere === undefined
      ? unfinishedRelease(releases, nextOf(desired, foretold.plan))
      : []),
    ...noticesOf(unreadable, releases, deployment.name),
    ...freeze.notices,
    ...(inOrder?.notices ?? []),
    // Whoever reads the plan has the findings.
    ...(isRead(context)
      ? []
      : [...back.notices, ...takenAlong({ plan: prediction }).map(asNotice)]),
    ...again.notices,
    ...notices,
  ]);
  if (blockers.length > 0) {
    const cured = withCures(blockers, desired.warnings ?? []);
    return { ...blocked(told, recorded.value, cured), findings };
  }
  const expandedConfig = expanded.manifests;
  return {
    executable: true,
    plan: told,
    expandedConfig,
    recorded: recorded.value,
    source,
    overrode: freeze.overridden,
    findings,
  };
}

function asNotice({ what, fix }: Finding): Problem {
  return { code: "taken-along", what, fix, where: [] };
}

/** What is missing is given by the roles that one command prints. */
function withRoles(context: PlanningContext, desired: DesiredState): (told: Problem) => Problem {
  const command = rbacCommand(commandOf(context, desired), context.deployment.name);
  return (told) =>
    told.code !== "missing-permission" || told.fix.includes(command)
      ? told
      : { ...told, fix: `${told.fix}; \`${command}\` prints the roles` };
}

/** The command that a plan is made for. */
function commandOf(
  { purpose }: PlanningContext,
  { rollbackOf, deletes, corrects }: DesiredState,
): RightsCommand {
  if (corrects !== undefined) return purpose === "preview" ? "drift" : "reconcile";
  if (purpose === "preview") return purpose;
  if (deletes !== undefined) return "delete";
  return rollbackOf === undefined ? "deploy" : "rollback";
}

/** What a deployment decides when it comes to its deletions is drift only if it would delete. */
async function foretell(
  context: PlanningContext,
  desired: DesiredState,
  { plan, declared }: PreparedPlan,
  { releases }: RecordedReleases,
): Promise<{ readonly plan: Plan; readonly findings: readonly Finding[] }> {
  if (isRead(context)) return preflight(context, plan, declared, releases, desired);
  if (desired.corrects !== undefined)
    return { plan: await withoutKept(context, plan), findings: [] };
  return {
    plan: withNotices(plan, await dependencyNotices(context, plan, declared)),
    findings: [],
  };
}

/** What the deployment would lack is told in one place. */
function withRights(
  context: PlanningContext,
  plan: Plan,
  notices: readonly Problem[],
  findings: readonly Finding[],
): { readonly notices: readonly Problem[]; readonly findings: readonly Finding[] } {
  if (!isRead(context)) return { notices, findings };
  const isOfRights = ({ code }: Problem) => code === "missing-permission";
  return {
    notices: notices.filter((notice) => !isOfRights(notice)),
    findings: [...findings, ...notices.filter(isOfRights).map(ofNotice(plan))],
  };
}

function nextOf(desired: DesiredState, { changes, deletions }: Plan): NextPlan {
  if (!isOfCommit(desired)) return "goes back or deletes";
  const isChanging = deletions.length > 0 || changes.some(({ action }) => action !== "unchanged");
  return isChanging ? "deploys changes" : "deploys the same";
}

async function check(
  context: PlanningContext,
  { plan, declared, problems }: PreparedPlan,
  recorded: RecordedReleases,
  command: RightsCommand,
): Promise<Checked> {
  const { deployment, adopt, checkPlan, purpose } = context;
  // A preview foretells what a deployment needs.
  const locking = purpose === "preview" ? "deploy" : command;
  const [place, deletions] = await Promise.all([
    checkLockAndRecord(context, plan, recorded.next, locking),
    checkDeletions(context, plan),
  ]);
  const rights = await checkRights(context, plan, command, [...problems, ...deletions.blockers]);
  const inventory = inventoryOf(recorded.releases);
  const collisions = adopt ? [] : nameCollisions(plan.changes, inventory, deployment);
  const approved = checkPlan?.(
    plan,
    restoredBy(plan.changes, toReleased(declared), recorded.releases),
  );
  return {
    blockers: [
      ...place.blockers,
      ...collisions,
      ...deletions.blockers,
      ...rights.blockers,
      ...(approved?.blockers ?? []),
    ],
    notices: [...(approved?.notices ?? []), ...place.notices, ...deletions.notices],
  };
}

/** What the record says of the manifests: those of this run, and of the stage that it leaves alone those of before. */
function expandManifests(
  { onlyStage }: PlanningContext,
  declared: readonly DeclaredObject[],
  { releases, unreadable }: RecordedReleases,
): { readonly manifests: readonly ReleasedManifest[]; readonly problems: readonly Problem[] } {
  const manifests = toReleased(declared);
  if (onlyStage === undefined) return { manifests, problems: [] };
  const lost = mayTellWhatIsLive(unreadable, releases).map(({ problem }) => ({
    ...problem,
    fix: "Deploy both stages, without --only-stage",
  }));
  if (lost.length > 0) return { manifests, problems: lost };
  const full = withOtherStage(manifests, onlyStage, releases);
  return full.ok ? { manifests: full.value, problems: [] } : { manifests, problems: full.problems };
}

function withNotices(plan: Plan, notices: readonly Problem[]): Plan {
  return notices.length === 0 ? plan : { ...plan, notices: [...notices, ...plan.notices] };
}
