import type { LayoutNode, Manifest, Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { UserError } from "../model/errors.ts";
import type { Finding } from "../model/finding.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import { distinct, type Problem } from "../model/problem.ts";
import type {
  InputConfig,
  OverriddenFreeze,
  Release,
  ReleasedManifest,
  ReleaseSource,
} from "../model/release.ts";
import { restoredBy } from "../plan/approval/restores.ts";
import { toReleased } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { problemsOfRecordedRights } from "../plan/outside-namespace.ts";
import { nameCollisions } from "../plan/ownership/name-collisions.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { ofNotice } from "../preflight/rules/missing-permission.ts";
import { hideTexts, textsToHide } from "../redaction/hide-texts.ts";
import { historyOf } from "../releases/history.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import { type RecordedReleases, readReadableReleases } from "../releases/store.ts";
import { unfinishedRelease } from "../releases/unfinished-release.ts";
import { mayTellWhatIsLive, noticesOf, whyNothingIsDeleted } from "../releases/unreadable.ts";
import { withOtherStage } from "../releases/with-other-stage.ts";
import { type CommitOrder, checkCommitOrder } from "./check-commit-order.ts";
import { checkDeletions } from "./check-deletions.ts";
import { checkFreeze } from "./check-freeze.ts";
import { blockersOfVersions, checkGoingBack, versionsNotServed } from "./check-going-back.ts";
import { checkLockAndRecord, type TryLock } from "./check-lock-and-record.ts";
import { checkRights } from "./check-rights.ts";
import type { Checked } from "./checked.ts";
import { preflight, withoutKept } from "./preflight.ts";
import { type PreparedPlan, preparePlan } from "./prepare-plan.ts";
import type { RightsCommand } from "./rights/right.ts";
import { rbacCommand } from "./rights/rights-problem.ts";
import { withCures } from "./told-once.ts";

/** What is to be there: compiled just now, or recorded by an earlier release. */
export interface DesiredState {
  readonly manifests: readonly Manifest[];
  /** What this program would leave out, which keeps the rest from being deployed. */
  readonly unsupported: readonly Problem[];
  readonly input: InputConfig;
  readonly layout: LayoutNode;
  readonly hides?: Plan["hides"];
  /** What compiling it gave reason to doubt; nothing for a recorded release. */
  readonly warnings?: readonly Problem[];
  readonly rollbackOf: number | undefined;
  /** Set where this running release is put right, which makes no new one: `rollbackOf` is its own number. */
  readonly corrects?: Release | undefined;
  /** Set where nothing is to be there any more, neither objects nor releases. */
  readonly deletes?: true;
  /** The objects that are planned, by their keys; undefined for all. The others stay as they are, declared or not. */
  readonly onlyKeys?: ReadonlySet<string> | undefined;
}

/** One deployment, its cluster, and the rules that its plan is made by. */
export interface PlanningContext {
  readonly cluster: Cluster;
  readonly deployment: Deployment;
  readonly policy: PlanPolicy;
  /** Take over a deployment that was last deployed from another config or repository. */
  readonly adopt: boolean;
  /** A rollback may bring things cluster-wide or into other namespaces. */
  readonly allowOutsideNamespace: boolean;
  /** A rollback may go back where something of it is lost. */
  readonly allowIrreversible?: boolean | undefined;
  readonly onlyStage: Stage | undefined;
  /**
   * Compares the plan with what was approved; undefined where any is welcome. It is told which operations only restore what the
   * running release declares.
   */
  readonly checkPlan?:
    | ((plan: Plan, restores: ReturnType<typeof restoredBy>) => Checked)
    | undefined;
  /** A preview may be made by an identity with fewer rights than the one that deploys. */
  readonly purpose: "preview" | "deploy";
  /** "needed": without those that applying does as well. */
  readonly dryRuns: "all" | "needed";
  /** Asks whether the lock could be taken; undefined under that lock. */
  readonly tryLock: TryLock | undefined;
  readonly concurrency: number;
  /** How long the deployment would wait for one object; undefined where that is not known yet. */
  readonly timeoutMs?: number | undefined;
  /** Whether a pull request changes what is deployed; undefined outside of one. */
  readonly isChangedHere?: boolean | undefined;
  /** Compares the commit with the one that runs; undefined where it is not this commit that will be deployed. */
  readonly order?: CommitOrder | undefined;
  /** The time of now (ISO 8601). */
  readonly now: string;
  /** The freeze that does not hold for this run, by its id. */
  readonly overrideFreeze?: string | undefined;
  /** Where the deployment would be made from. */
  readonly source: ReleaseSource;
  readonly decompress: (bytes: Uint8Array) => string;
  /** SHA-256 in hex. */
  readonly hash: (text: string) => string;
}

/** A plan that may be executed, and what its record is made from. */
export interface ExecutablePlan {
  readonly executable: true;
  readonly plan: Plan;
  readonly expandedConfig: readonly ReleasedManifest[];
  readonly recorded: RecordedReleases;
  readonly source: ReleaseSource;
  /** The freeze that is overridden; undefined where none holds. */
  readonly overrode?: OverriddenFreeze | undefined;
  /** What the cluster would do with it; empty where nobody reads it before it is executed. */
  readonly findings: readonly Finding[];
}

/** A deployment that would be refused, with what it would do if it were not. */
interface BlockedPlan {
  readonly executable: false;
  /** undefined where even that can't be told. */
  readonly plan: Plan | undefined;
  readonly recorded: RecordedReleases | undefined;
  readonly blockers: readonly Problem[];
  readonly findings: readonly Finding[];
  /** Set where a newer commit runs and this run was merely late: nothing is planned then. */
  readonly superseded?: Problem | undefined;
}

export type PlannedDeployment = ExecutablePlan | BlockedPlan;

/**
 * The only way to a plan, for previews, deployments, dry-runs and rollbacks: reads what the cluster holds, asks it by dry-run,
 * decides, and says everything that makes a deployment refuse. Writes nothing.
 */
export async function planDeployment(
  context: PlanningContext,
  desired: DesiredState,
): Promise<PlannedDeployment> {
  const planned = withoutTexts(await plan(context, desired), desired.hides ?? []);
  if (planned.executable) return planned;
  return { ...planned, blockers: planned.blockers.map(withRoles(context, desired)) };
}

async function plan(context: PlanningContext, desired: DesiredState): Promise<PlannedDeployment> {
  const { cluster, deployment, source } = context;
  // Beside the releases, which it does not depend on: each answer of a distant cluster costs its time.
  const freezing = checkFreeze(context);
  // Where the plan ends before it is awaited, nobody else would hear of its failure.
  freezing.catch(() => {});
  const recorded = await readReadableReleases(cluster, deployment, context);
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
  const freeze = await freezing;
  const byRecord = desired.rollbackOf !== undefined && !context.allowOutsideNamespace;
  const prepared = await preparePlan(cluster, {
    rules: {
      ...context,
      deployment: deployment.name,
      namespace: deployment.namespace,
      recorded: byRecord,
      isOtherSource: elsewhere !== undefined,
      hides: desired.hides,
      deletes: desired.deletes,
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
  const back = checkGoingBack(prediction, {
    releases,
    to: goesBackTo(desired),
    allowed: context.allowIrreversible === true,
  });
  const expanded = expandManifests(context, declared, recorded.value);
  const blockers = [
    ...known,
    ...problems,
    ...(byRecord ? problemsOfRecordedRights(prediction.changes, prediction) : []),
    ...checked.blockers,
    ...back.blockers,
    ...expanded.problems,
  ];
  const { notices, findings } = withRights(context, prediction, checked.notices, [
    ...back.findings,
    ...foretold.findings,
  ]);
  const told = withNotices(foretold.plan, [
    ...(isRead(context) && elsewhere === undefined ? unfinishedRelease(releases) : []),
    ...noticesOf(unreadable, releases, deployment.name),
    ...freeze.notices,
    ...(inOrder?.notices ?? []),
    // Whoever reads the plan has the findings.
    ...(isRead(context) ? [] : back.notices),
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

/** What runs is put right: that is no way back. */
function goesBackTo({ rollbackOf, corrects }: DesiredState): number | undefined {
  return corrects === undefined ? rollbackOf : undefined;
}

/** Whether a commit says what is to be there: neither a record nor nobody. */
function isOfCommit({ rollbackOf, deletes }: DesiredState): boolean {
  return rollbackOf === undefined && deletes === undefined;
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
  const isCorrection = desired.corrects !== undefined;
  return { plan: isCorrection ? await withoutKept(context, plan) : plan, findings: [] };
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

/** Whether somebody reads the plan before it is executed, as all do that are made without the lock and with every dry-run. */
function isRead({ dryRuns, tryLock }: PlanningContext): boolean {
  return dryRuns === "all" && tryLock !== undefined;
}

/** The plan of something that is about to be executed. Throws a UserError with all that stands in its way. */
export function executableOnly(planned: PlannedDeployment): ExecutablePlan {
  if (planned.executable) return planned;
  throw new UserError(planned.blockers);
}

function blocked(
  plan: Plan | undefined,
  recorded: RecordedReleases | undefined,
  ...blockers: readonly (readonly Problem[])[]
): BlockedPlan {
  return { executable: false, plan, recorded, blockers: distinct(blockers.flat()), findings: [] };
}

/** The server quotes what it refuses, whatever the object. */
function withoutTexts(planned: PlannedDeployment, hides: readonly string[]): PlannedDeployment {
  const texts = hides.flatMap(textsToHide);
  const hide = (text: string) => hideTexts(text, texts);
  const hideIn = (problems: readonly Problem[]) =>
    problems.map((each) => ({
      ...each,
      what: hide(each.what),
      fix: hide(each.fix),
      ...(each.paste === undefined ? {} : { paste: each.paste.map(hide) }),
    }));
  const hideInPlan = (plan: Plan): Plan => ({
    ...plan,
    changes: plan.changes.map((change) => ({
      ...change,
      certainty:
        "reason" in change.certainty
          ? { ...change.certainty, reason: hide(change.certainty.reason) }
          : change.certainty,
    })),
    notices: hideIn(plan.notices),
    hides,
  });
  const findings = planned.findings.map(({ what, why, fix, paste, ...rest }) => ({
    ...rest,
    ...{ what: hide(what), why: hide(why), fix: hide(fix), paste: paste?.map(hide) },
  }));
  if (planned.executable) return { ...planned, plan: hideInPlan(planned.plan), findings };
  const { plan, blockers } = planned;
  return { ...planned, plan: plan && hideInPlan(plan), blockers: hideIn(blockers), findings };
}

async function check(
  context: PlanningContext,
  { plan, declared, problems }: PreparedPlan,
  recorded: RecordedReleases,
  command: RightsCommand,
): Promise<Checked> {
  const { deployment, adopt, checkPlan } = context;
  const [place, deletions] = await Promise.all([
    checkLockAndRecord(context, plan, recorded.next),
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
