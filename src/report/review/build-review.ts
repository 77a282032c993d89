import { nameOf } from "../../model/object.ts";
import type { Edge, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import {
  approvableApproval,
  type CommentInput,
  type DeploymentReport,
} from "../comment/comment-input.ts";
import { isRelabeled } from "../diff/relabeled.ts";
import { buildChanges } from "../rows/build-changes.ts";
import { findAutoscaler } from "./autoscaler.ts";
import { changedModules } from "./changed-modules.ts";
import { countReport } from "./count-objects.ts";
import { isPreexisting } from "./preexisting-finding.ts";
import {
  type DeploymentReview,
  type OrderedObject,
  type Review,
  type ReviewedFinding,
  type ReviewedOrigin,
  reviewVersion,
} from "./review.ts";

/** Collects all facts and hides confidential values. Later code only chooses the words. */
export function buildReview(input: CommentInput): Review {
  const { headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now } = input;
  return {
    version: reviewVersion,
    ...{ headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now },
    previewProblems: input.previewProblems?.map(publicProblem),
    deployments: input.deployments.map(reviewDeployment),
  };
}

export function reviewDeployment(report: DeploymentReport): DeploymentReview {
  const { deployment, plan, head, release, clusterState, findings = [] } = report;
  const { name, config, environment, context, namespace } = deployment;
  const explained = (problem: Problem) => {
    return { ...publicProblem(problem), autoscaler: findAutoscaler(problem, plan) };
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
    origin: reviewOrigin(report),
    problems: report.problems.map(explained),
    blockers: report.blockers.map(explained),
    findings: findings.map((each) => publicFinding(each, isPreexisting(each, report))),
    ...(report.removal === undefined ? {} : { removal: report.removal }),
    orphanWarnings: (report.orphanWarnings ?? []).map(publicProblem),
    notices: [...(head?.warnings ?? []), ...(plan?.notices ?? [])].map(publicProblem),
    counts: countReport(report),
    ...buildChanges(report),
    modules: changedModules(report.base, head),
    order: plan === undefined ? [] : changeOrder(plan),
    ...approvableApproval(report),
  };
}

/** Copies an error field by field, so that only fields meant for display are published. */
function publicProblem({
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
    ...{
      code,
      where: where.map(publicPosition),
      what,
      why,
      fix,
      otherwise,
      inputs,
      paste,
      subjects,
    },
    facts: facts?.map(({ label, value }) => ({ label, value })),
  };
}

function publicFinding(finding: Finding, isOlder: boolean): ReviewedFinding {
  const { code, severity, object, what, why, fix, paste, path, where, allowed } = finding;
  const { apiVersion, kind, namespace, name } = object;
  return {
    ...{ code, severity, what, why, fix, paste, path, isOlder },
    object: { apiVersion, kind, namespace, name },
    where: where.map(publicPosition),
    allowed: allowed && { where: allowed.where.map(publicPosition) },
  };
}

function publicPosition({ file, line, column }: Position): Position {
  return { file, line, column };
}

function reviewOrigin({ attributions, base }: DeploymentReport): ReviewedOrigin | undefined {
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

function changeOrder({ changes, deletions }: Plan): readonly OrderedObject[] {
  const written = changes.flatMap((change) =>
    change.action === "unchanged" || isRelabeled(change)
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
