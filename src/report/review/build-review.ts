import { readScaler } from "../../model/cluster/scalers.ts";
import type { VersionCheck } from "../../model/kubernetes-versions.ts";
import { nameOf, type ObjectAddress } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { RollbackObstacle, RollbackPreview } from "../../model/plan/predictions.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { ChangedSource, LockedVersion } from "../../model/sources/locked-source.ts";
import {
  approvableApproval,
  type CommentInput,
  type DeploymentReport,
  type PreviewContext,
} from "../comment/comment-input.ts";
import { isRelabeled } from "../diff/live-diff.ts";
import { buildChanges } from "../rows/build-changes.ts";
import { namedForecasts } from "../rows/forecasts.ts";
import { countReport, edgesTo, orderChecks } from "./count-objects.ts";
import { isPreexisting } from "./preexisting-finding.ts";
import {
  type DeploymentReview,
  type Review,
  type ReviewedFinding,
  type ReviewedOrigin,
  reviewVersion,
} from "./review.ts";

/** An autoscaler of the same deployment, with its limits for the number of replicas. */
export interface ReviewedAutoscaler {
  readonly name: string;
  readonly bounds?: { readonly least: number; readonly most: number } | undefined;
}

/** Returns the autoscaler of the same plan that causes a conflict over replicas. */
function findAutoscaler(
  { code, subjects = [], about = [] }: Problem,
  plan: Plan | undefined,
): ReviewedAutoscaler | undefined {
  const isOfReplicas = about.some(({ fields }) => fields.includes("spec.replicas"));
  if (code !== "field-conflict" || !isOfReplicas) return undefined;
  for (const { id, desired } of plan?.changes ?? []) {
    const scaler = readScaler(desired);
    if (scaler === undefined || !subjects.includes(nameOf(scaler.target))) continue;
    const { minReplicas, maxReplicas } = scaler;
    return {
      name: nameOf(id),
      ...(maxReplicas === undefined ? {} : { bounds: { least: minReplicas, most: maxReplicas } }),
    };
  }
  return undefined;
}

/** A module whose revision differs between the two commits. */
export interface ChangedModule {
  readonly name: string;
  /** Undefined if the module is new. */
  readonly before?: string | undefined;
  /** Undefined if the module is no longer used. */
  readonly after?: string | undefined;
}

/**
 * Compares the revisions in the input files of both compilations, so only used modules count.
 * A branch has the same name at both commits, even if it has moved.
 */
function changedModules(
  base: Compilation | undefined,
  head: Compilation | undefined,
): readonly ChangedModule[] {
  if (base === undefined || head === undefined) return [];
  const [old, now] = [moduleRevisions(base), moduleRevisions(head)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .map((name) => ({ name, before: old.get(name), after: now.get(name) }))
    .filter(({ before, after }) => before !== after);
}

/** Reads the revisions. Files outside the repository are `module@revision/path`. */
function moduleRevisions({ inputs }: Compilation): ReadonlyMap<string, string> {
  return new Map(
    inputs.flatMap((file) => {
      const [, name, revision] = /^([^@]+)@([^/]+)\//.exec(file) ?? [];
      return name === undefined || revision === undefined ? [] : [[name, revision] as const];
    }),
  );
}

/** Collects all facts and hides confidential values. Later code only chooses the words. */
export function buildReview(input: CommentInput): Review {
  return combineReviews(input, input.deployments.map(reviewDeployment));
}

/** Combines the reviews of all deployments into the review of a pull request. */
export function combineReviews(
  input: PreviewContext,
  deployments: readonly DeploymentReview[],
): Review {
  const { headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now } = input;
  return {
    version: reviewVersion,
    ...{ headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now },
    previewProblems: input.previewProblems?.map(publicProblem),
    deployments,
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
          isFork: clusterState.isFork,
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
    ...(report.rollback === undefined ? {} : { rollback: publicRollback(report.rollback) }),
    ...(report.againstVersion === undefined
      ? {}
      : { againstVersion: publicVersionCheck(report.againstVersion) }),
    ...reviewForecasts(report),
    modules: changedModules(report.base, head),
    ...(report.sources === undefined ? {} : { sources: report.sources.map(publicSource) }),
    ...(plan === undefined ? { order: [] } : changeOrder(plan)),
    ...approvableApproval(report),
  };
}

function reviewForecasts({
  plan,
  findings = [],
}: DeploymentReport): Pick<DeploymentReview, "forecasts"> {
  const forecasts = namedForecasts(plan, findings);
  return forecasts.length === 0 ? {} : { forecasts };
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
  const { code, severity, object, what, why, fix, paste, path, where, allowed, facts } = finding;
  return {
    ...{ code, severity, what, why, fix, paste, path, isOlder },
    ...(facts === undefined ? {} : { facts: facts.map(({ label, value }) => ({ label, value })) }),
    object: publicAddress(object),
    where: where.map(publicPosition),
    allowed: allowed && { where: allowed.where.map(publicPosition) },
  };
}

function publicVersionCheck(check: VersionCheck): VersionCheck {
  const { version, server, release, isReleaseUnread, findings } = check;
  return { version, server, release, isReleaseUnread, findings };
}

function publicRollback(rollback: RollbackPreview): RollbackPreview {
  const { to, possible, objects, lost, reasons, notes, needs } = rollback;
  const facts = { lost: lost.map(publicObstacle), reasons: reasons.map(publicObstacle) };
  return { ...{ to, possible, objects, needs }, ...facts, notes: notes.map(publicObstacle) };
}

function publicObstacle({ object, what, why, fix }: RollbackObstacle): RollbackObstacle {
  return { what, why, fix, object: object && publicAddress(object) };
}

function publicSource({ type, name, before, after, where }: ChangedSource): ChangedSource {
  const publicVersion = ({ from, version, pinned }: LockedVersion) => ({ from, version, pinned });
  return {
    ...{ type, name, where: publicPosition(where) },
    ...(before === undefined ? {} : { before: publicVersion(before) }),
    ...(after === undefined ? {} : { after: publicVersion(after) }),
  };
}

function publicAddress({ apiVersion, kind, namespace, name }: ObjectAddress): ObjectAddress {
  return { apiVersion, kind, namespace, name };
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

function changeOrder(plan: Plan): Pick<DeploymentReview, "order" | "checks"> {
  const { changes, deletions } = plan;
  const written = changes.flatMap((change) =>
    change.action === "unchanged" || isRelabeled(change)
      ? []
      : [{ ...change, action: change.action }],
  );
  const all = [...written, ...deletions.map((each) => ({ ...each, action: "delete" as const }))];
  const keys = new Set(all.map(({ key }) => key));
  const order = all.map(({ key, id, stage, action, after }) => {
    return { key, name: nameOf(id), stage, action, after: edgesTo(keys, after) };
  });
  const checks = orderChecks(plan, keys);
  return { order, ...(checks.length === 0 ? {} : { checks }) };
}
