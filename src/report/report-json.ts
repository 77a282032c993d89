import { containedNames } from "../model/cluster/namespaces-and-crds.ts";
import { fieldPath } from "../model/fields/field-path.ts";
import type { JsonObject } from "../model/json.ts";
import type { VersionCheck } from "../model/kubernetes-versions.ts";
import type { ObjectId } from "../model/object.ts";
import type { Attributions, FieldChange } from "../model/plan/attribution.ts";
import type { KeepDetails } from "../model/plan/deletion.ts";
import { type Change, hooksOf, type Plan } from "../model/plan/plan.ts";
import type { Finding, UpgradeDetail } from "../model/problems/finding.ts";
import type { Problem } from "../model/problems/problem.ts";
import { listFixes } from "../model/problems/problem-text.ts";
import { type ChangedSource, isReplaced } from "../model/sources/locked-source.ts";
import { replacedSourceProblems } from "./changed-sources.ts";
import {
  approvableApproval,
  approvableDigest,
  type DeploymentReport,
} from "./comment/comment-input.ts";
import { diffChange } from "./diff/live-diff.ts";
import { diffTextLines } from "./diff/text-diff.ts";
import { rollbackJson } from "./prediction-lines.ts";

/**
 * Returns a deployment's preview for `diff --format json`.
 * Objects appear only as diffs, so it has no Secret values.
 */
export function reportJson(report: DeploymentReport): JsonObject {
  const { deployment, plan, clusterState, attributions } = report;
  return {
    deployment: deployment.name,
    environment: deployment.environment ?? null,
    namespace: deployment.namespace,
    compared: clusterState.compared,
    notComparedBecause: clusterState.compared ? null : clusterState.because,
    release: report.release ?? null,
    digest: approvableDigest(report) ?? null,
    operations: [...(approvableApproval(report)?.operations ?? [])],
    capabilities: (plan?.capabilities ?? []).map(({ question, answer }) => ({ question, answer })),
    rollback: rollbackJson(report.rollback),
    ...(report.againstVersion === undefined
      ? {}
      : { againstVersion: againstVersionJson(report.againstVersion) }),
    problems: [...report.problems, ...report.blockers].map(problemJson),
    findings: (report.findings ?? []).map(findingJson),
    notices: [
      ...replacedSourceProblems(report.sources),
      ...(report.head?.warnings ?? []),
      ...(plan?.notices ?? []),
    ].map(problemJson),
    sources: (report.sources ?? []).map(sourceJson),
    changes: (plan?.changes ?? []).map((change) => changeJson(change, plan, attributions)),
    deletions: [
      ...deletionsJson(plan, attributions),
      ...hooksOf(plan ?? { changes: [] }).map(({ key, id, stage, hook }) => ({
        ...{ key, stage, object: idJson(id), source: null },
        ...(hook === undefined ? {} : { hook: hook.event }),
      })),
    ],
    kept: (plan?.kept ?? []).map(({ key, id, why, detail, keeping }) => ({
      key,
      why,
      detail,
      object: idJson(id),
      ...(keeping === undefined ? {} : { keeping: keepingJson(keeping) }),
    })),
  };
}

function againstVersionJson({ version, server, release, findings }: VersionCheck): JsonObject {
  return { version, server: server ?? null, release: release ?? null, findings };
}

function deletionsJson(
  plan: Plan | undefined,
  attributions: Attributions | undefined,
): readonly JsonObject[] {
  return (plan?.deletions ?? []).map(({ key, id, stage, prunedRevision, contents }) => ({
    key,
    stage,
    object: idJson(id),
    source: attributions?.deletions.get(key) ?? null,
    ...(prunedRevision === undefined ? {} : { retires: { ...prunedRevision } }),
    ...(containedNames(contents).length === 0 ? {} : { takes: containedNames(contents) }),
  }));
}

/** Returns the `keepOnDelete` data of a kept object. null stands for an unknown value. */
function keepingJson({ key, revision, since, users }: KeepDetails): JsonObject {
  return { key, revision, since: since ?? null, users: users === undefined ? null : [...users] };
}

/** Returns a source with another entry in the lockfile. null stands for no entry. */
function sourceJson(source: ChangedSource): JsonObject {
  const { type, name, before, after, where } = source;
  return {
    ...{ type, name, isReplaced: isReplaced(source), where: { ...where } },
    before: before === undefined ? null : { ...before },
    after: after === undefined ? null : { ...after },
  };
}

function changeJson(
  change: Change,
  plan: Plan | undefined,
  attributions: Attributions | undefined,
): JsonObject {
  const { key, id, stage, resource, action, certainty, after, hook } = change;
  const attribution = attributions?.changes.get(key);
  const succession = action === "create" ? attributions?.successions.get(key) : undefined;
  return {
    key,
    object: idJson(id),
    stage,
    resource,
    action,
    source: attribution?.source ?? null,
    fields: (attribution?.fields ?? []).map(fieldJson),
    ignored: (attribution?.ignored ?? []).map(({ path, live, declared }) => {
      return { path, live: live ?? null, declared: declared ?? null };
    }),
    ...(hook === undefined ? {} : { hook: hook.event }),
    ...(succession === undefined ? {} : { succeeds: succession.predecessor }),
    certainty: { ...certainty },
    after: after.map(({ on, reason }) => ({ on, reason })),
    diff: action === "unchanged" ? [] : diffTextLines(diffChange(change, plan?.hides)),
  };
}

/** Returns a change of a field. An absent value has no property, because null is a value. */
function fieldJson({ path, source, before, after, by }: FieldChange): JsonObject {
  return {
    path,
    source,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(by === undefined ? {} : { manager: by.manager, operation: by.operation }),
    ...(by?.since === undefined ? {} : { since: by.since }),
  };
}

/** Returns a problem for the JSON of any command. */
export function problemJson(problem: Problem): JsonObject {
  const { code, what, why, facts = [], where } = problem;
  return {
    code,
    what,
    ...(why === undefined ? {} : { why }),
    ...(facts.length === 0 ? {} : { facts: facts.map((fact) => ({ ...fact })) }),
    fix: listFixes(problem).join("\n"),
    where: where.map((position) => ({ ...position })),
  };
}

function findingJson({
  code,
  severity,
  object,
  what,
  why,
  where,
  allowed,
  ...rest
}: Finding): JsonObject {
  const { fix, paste = [], path, facts = [], upgrade } = rest;
  return {
    ...{ code, severity, object: { ...object }, what, why },
    ...(path === undefined ? {} : { field: fieldPath(path) }),
    ...(facts.length === 0 ? {} : { facts: facts.map((fact) => ({ ...fact })) }),
    fix: [fix, ...paste].join("\n"),
    where: where.map((position) => ({ ...position })),
    allowed: allowed !== undefined,
    ...(upgrade === undefined ? {} : { upgrade: upgradeJson(upgrade) }),
  };
}

function upgradeJson({ version, since, affects, release }: UpgradeDetail): JsonObject {
  return { version, since, affects: [...affects], release: release ?? null };
}

function idJson(id: ObjectId): JsonObject {
  return { ...id };
}
