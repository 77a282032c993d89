import { nameOf } from "../../model/object.ts";
import type { Edge, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { approvalIn, type CommentInput, type DeploymentReport } from "../comment/comment-input.ts";
import { isRelabelled } from "../diff/relabelled.ts";
import { changesOf } from "../rows/rows.ts";
import { isOlder } from "./already-so.ts";
import { autoscalerOf } from "./autoscaler.ts";
import { changedModules } from "./changed-modules.ts";
import { countReport } from "./count-objects.ts";
import {
  type DeploymentReview,
  type OrderedObject,
  type Review,
  type ReviewedFinding,
  type ReviewedOrigin,
  reviewVersion,
} from "./review.ts";

/** Collects all facts and hides confidential values. Later code only chooses the words. */
export function reviewOf(input: CommentInput): Review {
  const { headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now } = input;
  return {
    version: reviewVersion,
    ...{ headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now },
    previewProblems: input.previewProblems?.map(shownProblem),
    deployments: input.deployments.map(reviewDeployment),
  };
}

export function reviewDeployment(report: DeploymentReport): DeploymentReview {
  const { deployment, plan, head, release, clusterState, findings = [] } = report;
  const { name, config, environment, context, namespace } = deployment;
  const explained = (problem: Problem) => {
    return { ...shownProblem(problem), autoscaler: autoscalerOf(problem, plan) };
  };
  return {
    ...{ name, config, environment, context, namespace, release },
    ...(report.waitsFor?.length ? { waitsFor: report.waitsFor } : {}),
    ...(clusterState.compared || head === undefined
      ? {}
      : {
          notComparedBecause: clusterState.because,
          ...(clusterState.isFork === true ? { isFork: true } : {}),
        }),
    isOfCommits: plan === undefined,
    isFirst: isFirst(report),
    origin: originOf(report),
    problems: report.problems.map(explained),
    blockers: report.blockers.map(explained),
    findings: findings.map((each) => shownFinding(each, isOlder(each, report))),
    ...(report.removal === undefined ? {} : { removal: report.removal }),
    orphanWarnings: (report.orphanWarnings ?? []).map(shownProblem),
    notices: [...(head?.warnings ?? []), ...(plan?.notices ?? [])].map(shownProblem),
    counts: countReport(report),
    ...changesOf(report),
    modules: changedModules(report.base, head),
    order: plan === undefined ? [] : orderOf(plan),
    ...approvalIn(report),
  };
}

/** Copies an error field by field, so that only fields meant for display are published. */
function shownProblem({
  code,
  where,
  what,
  why,
  facts,
  fix,
  otherwise,
  inputs,
  paste,
  subjects,
}: Problem): Problem {
  return {
    ...{ code, where: where.map(shownPlace), what, why, fix, otherwise, inputs, paste, subjects },
    facts: facts?.map(({ label, value }) => ({ label, value })),
  };
}

function shownFinding(finding: Finding, isOlder: boolean): ReviewedFinding {
  const { code, severity, object, what, why, fix, paste, path, where, allowed } = finding;
  const { apiVersion, kind, namespace, name } = object;
  return {
    ...{ code, severity, what, why, fix, paste, path, isOlder },
    object: { apiVersion, kind, namespace, name },
    where: where.map(shownPlace),
    allowed: allowed && { where: allowed.where.map(shownPlace) },
  };
}

function shownPlace({ file, line, column }: Position): Position {
  return { file, line, column };
}

function originOf({ attributions, base }: DeploymentReport): ReviewedOrigin | undefined {
  if (attributions === undefined) return undefined;
  const { release, commit } = attributions;
  return { release, commit, isPullRequest: base !== undefined };
}

function isFirst({ plan, release, clusterState, attributions }: DeploymentReport): boolean {
  if (plan === undefined || !clusterState.compared) return false;
  if (release !== undefined || attributions?.release !== undefined) return false;
  return (
    plan.changes.length > 0 &&
    plan.deletions.length === 0 &&
    plan.changes.every(({ action }) => action === "create")
  );
}

function orderOf({ changes, deletions }: Plan): readonly OrderedObject[] {
  const written = changes.flatMap((change) =>
    change.action === "unchanged" || isRelabelled(change)
      ? []
      : [{ ...change, action: change.action }],
  );
  const all = [...written, ...deletions.map((each) => ({ ...each, action: "delete" as const }))];
  const keys = new Set(all.map(({ key }) => key));
  const known = (after: readonly Edge[]) =>
    after.filter(({ on }) => keys.has(on)).map(({ on, reason }) => ({ on, reason }));
  return all.map(({ key, id, stage, action, after }) => {
    return { key, name: nameOf(id), stage, action, after: known(after) };
  });
}
