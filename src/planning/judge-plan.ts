import type { LockStatus } from "../model/cluster/lock-state.ts";
import type { Plan } from "../model/plan.ts";
import type { Finding } from "../model/problems/finding.ts";
import type { Problem } from "../model/problems/problem.ts";
import { listFixes } from "../model/problems/problem-text.ts";
import type { ReleasedManifest } from "../model/release.ts";
import { restoredBy } from "../plan/approval/restores.ts";
import { toReleased } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { problemsOfRecordedRights } from "../plan/outside-namespace.ts";
import { nameCollisions } from "../plan/ownership/name-collisions.ts";
import { deletesDependents } from "../preflight/rules/deletes-dependents.ts";
import { ofNotice } from "../preflight/rules/missing-permission.ts";
import { inventoryOf } from "../releases/inventory.ts";
import type { RecordedReleases } from "../releases/store.ts";
import { type NextPlan, unfinishedRelease } from "../releases/unfinished-release.ts";
import { mayTellWhatIsLive, noticesOf } from "../releases/unreadable.ts";
import { withOtherStage } from "../releases/with-other-stage.ts";
import type { Basis } from "./basis.ts";
import { checkCorrection } from "./checks/check-correction.ts";
import { checkDeletions } from "./checks/check-deletions.ts";
import { checkGoingBack } from "./checks/check-going-back.ts";
import { checkLockAndRecord } from "./checks/check-lock-and-record.ts";
import { checkRights } from "./checks/check-rights.ts";
import { type Checked, sentences } from "./checks/checked.ts";
import { withCures } from "./checks/told-once.ts";
import { type DesiredState, goesBackTo, isOfCommit } from "./desired-state.ts";
import { blocked, type PlannedDeployment } from "./planned-deployment.ts";
import { isRead, type PlanningContext } from "./planning-context.ts";
import { dependencyNotices, droppedFieldsOf, preflight, withoutKept } from "./preflight.ts";
import type { PreparedPlan } from "./prepare-plan.ts";
import { readLockBehind } from "./read-lock.ts";
import { commandOf } from "./rights/command-of.ts";
import type { RightsCommand } from "./rights/right.ts";

/**
 * Collects the problems, notices and findings of a plan, and decides whether qvs can execute it.
 */
export async function judgePlan(
  context: PlanningContext,
  desired: DesiredState,
  basis: Basis,
  prepared: PreparedPlan,
): Promise<PlannedDeployment> {
  const { recorded, overrode } = basis;
  const { releases } = recorded;
  const { plan, problems, declared } = prepared;
  const [checked, foretold, lock] = await Promise.all([
    check(context, prepared, recorded, commandOf(context, desired)),
    foretell(context, desired, prepared, recorded),
    isRead(context)
      ? readLockBehind(releases, context.cluster, context.deployment, new Date(context.now))
      : ("unknown" as const),
  ]);
  const allowed = context.allowIrreversible === true;
  const back = checkGoingBack(plan, { releases, to: goesBackTo(desired), allowed });
  const again = checkCorrection(plan, { releases, corrects: desired.corrects, allowed });
  const expanded = expandManifests(context, declared, recorded);
  const blockers = [
    ...basis.blockers,
    ...problems,
    ...(basis.byRecord ? problemsOfRecordedRights(plan.changes, plan) : []),
    ...checked.blockers,
    ...back.blockers,
    ...again.blockers,
    ...expanded.problems,
  ];
  const { notices, findings } = withRights(context, plan, checked.notices, [
    ...back.findings,
    ...again.findings,
    ...foretold.findings,
  ]);
  const told = withNotices(foretold.plan, [
    ...noticesOfRecord(context, desired, basis, { plan: foretold.plan, lock }),
    ...basis.notices,
    // Readers of the plan already have the findings.
    ...(isRead(context) ? [] : [...back.notices, ...deletesDependents({ plan }).map(asNotice)]),
    ...again.notices,
    ...notices,
  ]);
  if (blockers.length > 0) {
    const cured = withCures(blockers, desired.warnings ?? []);
    return { ...blocked(told, recorded, cured), findings };
  }
  return {
    executable: true,
    plan: told,
    expandedConfig: expanded.manifests,
    recorded,
    source: context.source,
    overrode,
    findings,
  };
}

function noticesOfRecord(
  context: PlanningContext,
  desired: DesiredState,
  { recorded: { releases, unreadable }, elsewhere }: Basis,
  { plan, lock }: { readonly plan: Plan; readonly lock: LockStatus },
): readonly Problem[] {
  return [
    ...(isRead(context) && elsewhere === undefined
      ? unfinishedRelease(releases, nextOf(desired, plan), lock)
      : []),
    ...noticesOf(unreadable, releases, context.deployment.name),
  ];
}

function asNotice({ what, why, fix }: Finding): Problem {
  return { code: "also-deleted", what, why: why || undefined, fix, where: [] };
}

/**
 * Predicts the findings of a plan.
 * For a correction it removes the deletions that the deployment won't make, because only real
 * deletions are drift.
 */
async function foretell(
  context: PlanningContext,
  desired: DesiredState,
  { plan, declared }: PreparedPlan,
  { releases }: RecordedReleases,
): Promise<{ readonly plan: Plan; readonly findings: readonly Finding[] }> {
  if (isRead(context)) return preflight(context, plan, declared, releases, desired);
  const { findings, notices } = droppedFieldsOf(plan, declared);
  if (desired.corrects !== undefined)
    return { plan: withNotices(await withoutKept(context, plan), notices), findings };
  const missing = await dependencyNotices(context, plan, declared);
  return { plan: withNotices(plan, [...missing, ...notices]), findings };
}

/** Reports missing permissions in one place: as findings if a user reads the plan. */
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
    findings: [...findings, ...notices.filter(isOfRights).map(findingOfRights(plan))],
  };
}

/** Converts a notice about permissions; a finding has no facts and only one fix. */
function findingOfRights(plan: Plan): (notice: Problem) => Finding {
  return (notice) => {
    const { why, facts = [] } = notice;
    const answers = facts.map(({ label, value }) =>
      label === "answer" ? `The API server answered: ${value}` : `${label}: ${value}`,
    );
    const fix = listFixes(notice).join(", ");
    return { ...ofNotice(plan)(notice), why: sentences(why, ...answers) ?? "", fix };
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
  // A preview predicts the needs of a deployment.
  const locking = purpose === "preview" ? "deploy" : command;
  const [place, deletions] = await Promise.all([
    checkLockAndRecord(context, plan, recorded.next, locking),
    checkDeletions(context, plan, { deletes: command === "delete" }),
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

/**
 * Returns the manifests that the release records.
 * The manifests of a stage that this run leaves out come from earlier releases.
 */
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
    otherwise: undefined,
  }));
  if (lost.length > 0) return { manifests, problems: lost };
  const full = withOtherStage(manifests, onlyStage, releases);
  return full.ok ? { manifests: full.value, problems: [] } : { manifests, problems: full.problems };
}

function withNotices(plan: Plan, notices: readonly Problem[]): Plan {
  return notices.length === 0 ? plan : { ...plan, notices: [...notices, ...plan.notices] };
}
