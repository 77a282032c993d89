import type { Plan } from "../model/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Finding } from "../model/problems/finding.ts";
import { distinct, mapProblemTexts, type Problem } from "../model/problems/problem.ts";
import type { OverriddenFreeze, ReleasedManifest, ReleaseSource } from "../model/release.ts";
import { hiddenTexts, textsToHide } from "../redaction/hide-texts.ts";
import type { RecordedReleases } from "../releases/store.ts";

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

/** The plan of something that is about to be executed. Throws a UserError with all that stands in its way. */
export function executableOnly(planned: PlannedDeployment): ExecutablePlan {
  if (planned.executable) return planned;
  throw new UserError(planned.blockers);
}

export function blocked(
  plan: Plan | undefined,
  recorded: RecordedReleases | undefined,
  ...blockers: readonly (readonly Problem[])[]
): BlockedPlan {
  return { executable: false, plan, recorded, blockers: distinct(blockers.flat()), findings: [] };
}

/** The server quotes what it refuses, whatever the object. */
export function withoutTexts(
  planned: PlannedDeployment,
  hides: readonly string[],
): PlannedDeployment {
  const { hide } = hiddenTexts(hides.flatMap(textsToHide));
  const hideIn = (problems: readonly Problem[]) =>
    problems.map((each) => mapProblemTexts(each, hide));
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
  const findings = planned.findings.map((each) => mapProblemTexts(each, hide));
  if (planned.executable) return { ...planned, plan: hideInPlan(planned.plan), findings };
  const { plan, blockers } = planned;
  return { ...planned, plan: plan && hideInPlan(plan), blockers: hideIn(blockers), findings };
}
