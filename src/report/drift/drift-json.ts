import type { Drift, DriftedField, DriftedObject } from "../../model/deployments/drift.ts";
import type { JsonObject } from "../../model/json.ts";
import type { FieldAuthor } from "../../model/plan/attribution.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { listFixes } from "../../model/problems/problem-text.ts";

/**
 * The version of the format. It increases if a field changes its meaning
 * (docs/reference/drift.md#format).
 */
const formatVersion = 1;

/** Returns the drift as JSON. null stands for a value that is absent or unknown. */
export function driftJson(drifts: readonly Drift[]): JsonObject {
  const statuses = drifts.map(({ status }) => status);
  const status = (["drifted", "unknown"] as const).find((each) => statuses.includes(each));
  return {
    formatVersion,
    status: status ?? "clean",
    deployments: drifts.map((drift) => ({
      deployment: drift.deployment,
      namespace: drift.namespace,
      status: drift.status,
      release: drift.release ?? null,
      comparedAt: drift.at,
      declared: drift.declared,
      objects: drift.objects.map(objectJson),
      blockers: drift.blockers.map(problemJson),
      findings: drift.findings.map(findingJson),
      notices: drift.notices.map(problemJson),
    })),
  };
}

function objectJson({
  key,
  id,
  stage,
  kind,
  fields,
  recreates = [],
  unsure,
  createdBy,
  deletedSince,
}: DriftedObject): JsonObject {
  return {
    drift: kind,
    key,
    stage,
    object: { ...id },
    fields: fields.map((field) =>
      kind === "taken over" || field.isHidden ? ownerJson(field) : fieldJson(field),
    ),
    ...(recreates.length === 0 ? {} : { recreates: [...recreates] }),
    ...(createdBy === undefined ? {} : { createdBy: authorJson(createdBy) }),
    ...(deletedSince === undefined ? {} : { deletedSince }),
    ...(unsure === undefined ? {} : { unsure }),
  };
}

function fieldJson(field: DriftedField): JsonObject {
  return { ...ownerJson(field), live: field.live ?? null, recorded: field.recorded ?? null };
}

function ownerJson({ path, by }: DriftedField): JsonObject {
  return { path, by: by === undefined ? null : authorJson(by) };
}

function authorJson({ manager, operation, since }: FieldAuthor): JsonObject {
  return { manager, operation, since: since ?? null };
}

function findingJson({ code, severity, object, what, why, fix }: Finding): JsonObject {
  return { code, severity, object: { ...object }, what, why, fix };
}

function problemJson(problem: Problem): JsonObject {
  const { code, what, why, facts = [] } = problem;
  return {
    ...{ code, what },
    ...(why === undefined ? {} : { why }),
    ...(facts.length === 0 ? {} : { facts: facts.map((fact) => ({ ...fact })) }),
    fix: listFixes(problem).join("\n"),
  };
}
