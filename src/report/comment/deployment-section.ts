import { type Finding, isOpen } from "../../model/finding.ts";
import type { Row } from "../rows.ts";
import type { DeploymentReport } from "./comment-input.ts";
import type { ShowPlace } from "./places.ts";

/** A deployment's report together with what is shown of it. */
export interface Section {
  readonly report: DeploymentReport;
  readonly rows: readonly Row[];
}

/** How a comment is written, whatever it is about. */
export interface Look {
  readonly show: ShowPlace;
  /** ISO 8601. */
  readonly now: string | undefined;
  /** Whether there is room for all that is to be said of problems. */
  readonly isShort: boolean;
}

export function problemsOf(report: DeploymentReport): DeploymentReport["problems"] {
  return [...report.problems, ...report.blockers];
}

/** What is bound to go wrong although nothing refuses it. */
export function errorsOf({ findings = [] }: DeploymentReport): readonly Finding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "error");
}

export function warningsOf({ findings = [] }: DeploymentReport): readonly Finding[] {
  return findings.filter((each) => isOpen(each) && each.severity === "warning");
}

/** How much there is that stops nothing but has to be known before merging. */
export function concernsOf(report: DeploymentReport): number {
  const { orphanWarnings = [] } = report;
  return errorsOf(report).length + warningsOf(report).length + orphanWarnings.length;
}

/** Nothing of this deployment is in the cluster, and no release has succeeded. */
export function isFirst({ report }: Section): boolean {
  const { plan, release, clusterState, attributions } = report;
  if (plan === undefined || !clusterState.compared) return false;
  if (release !== undefined || attributions?.release !== undefined) return false;
  return (
    plan.changes.length > 0 &&
    plan.deletions.length === 0 &&
    plan.changes.every(({ action }) => action === "create")
  );
}
