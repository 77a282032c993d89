import type {
  OverriddenFreeze,
  ReleasedManifest,
  ReleaseSource,
} from "../model/deployments/release.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { RollbackPreview } from "../model/plan/predictions.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Finding } from "../model/problems/finding.ts";
import { distinct, mapProblemTexts, type Problem } from "../model/problems/problem.ts";
import { hideSteps } from "../redaction/hidden-keys.ts";
import { scrubberOf } from "../redaction/scrub.ts";
import type { RecordedReleases } from "../releases/store.ts";

/** A plan that qvs can execute, and the data for its release record. */
export interface ExecutablePlan {
  readonly executable: true;
  readonly plan: Plan;
  readonly expandedConfig: readonly ReleasedManifest[];
  /** The hooks that a later deletion runs; missing if there are none. */
  readonly deletionHooks?: readonly DeletionHook[] | undefined;
  readonly recorded: RecordedReleases;
  readonly source: ReleaseSource;
  /** The freeze that this run overrides; undefined if no freeze is in effect. */
  readonly overrode?: OverriddenFreeze | undefined;
  /** Predictions about the cluster; empty if no user reads the plan before its execution. */
  readonly findings: readonly Finding[];
  /** The rollback of this plan; undefined if it wasn't predicted or returns to no release. */
  readonly rollback?: RollbackPreview | undefined;
}

/** A blocked deployment, with the changes that it would make otherwise. */
interface BlockedPlan {
  readonly executable: false;
  /** The plan; undefined if qvs couldn't make it. */
  readonly plan: Plan | undefined;
  readonly recorded: RecordedReleases | undefined;
  readonly blockers: readonly Problem[];
  readonly findings: readonly Finding[];
  /** The rollback of the plan, if it blocks the deployment. */
  readonly rollback?: RollbackPreview | undefined;
  /** Set if a newer commit is deployed and this run is only late; then qvs plans nothing. */
  readonly superseded?: Problem | undefined;
}

export type PlannedDeployment = ExecutablePlan | BlockedPlan;

/** Returns a plan for execution, or throws a UserError with everything that blocks it. */
export function requireExecutable(planned: PlannedDeployment): ExecutablePlan {
  if (planned.executable) return planned;
  throw new UserError(planned.blockers);
}

export function blockedPlan(
  plan: Plan | undefined,
  recorded: RecordedReleases | undefined,
  ...blockers: readonly (readonly Problem[])[]
): BlockedPlan {
  return { executable: false, plan, recorded, blockers: distinct(blockers.flat()), findings: [] };
}

/** Hides texts in findings, which can quote values of any object. */
export function scrubFindings(
  findings: readonly Finding[],
  hides: readonly string[],
): readonly Finding[] {
  const { hide } = scrubberOf(hides);
  return findings.map((each) => {
    const { path } = each;
    const shown = path === undefined ? {} : { path: hideSteps(hides, path) };
    return { ...mapProblemTexts(each, hide), ...shown };
  });
}

/** Hides texts in all messages: a rejection by the API server can quote values of any object. */
export function scrubTexts(
  planned: PlannedDeployment,
  hides: readonly string[],
): PlannedDeployment {
  const { hide } = scrubberOf(hides);
  const scrubProblems = (problems: readonly Problem[]) =>
    problems.map((each) => mapProblemTexts(each, hide));
  const scrubPlan = (plan: Plan): Plan => ({
    ...plan,
    changes: plan.changes.map((change) => ({
      ...change,
      certainty:
        "reason" in change.certainty
          ? { ...change.certainty, reason: hide(change.certainty.reason) }
          : change.certainty,
    })),
    notices: scrubProblems(plan.notices),
    hides,
  });
  const findings = scrubFindings(planned.findings, hides);
  if (planned.executable) return { ...planned, plan: scrubPlan(planned.plan), findings };
  const { plan, blockers } = planned;
  return { ...planned, plan: plan && scrubPlan(plan), blockers: scrubProblems(blockers), findings };
}
