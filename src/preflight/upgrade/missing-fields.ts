import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { type ClosedField, closedFields } from "../../model/cluster/fields/unstored-fields.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { formatFieldPath } from "../../model/fields/field-differences.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { pathWithIndexes } from "../../model/fields/resolve-path.ts";
import { fieldOf } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import { findField } from "../../validation/kind-types.ts";
import { schemaViolations } from "../../validation/schema-violations.ts";
import { podsPart, sinceText, type UpgradeContext, type UpgradeProblem } from "./upgrade.ts";

/** The fields that replace removed ones, by name. */
const replacements: Readonly<Record<string, string>> = {
  workloadRef: "schedulingGroup",
  nodeAllocatableResourceMappings: "nodeAllocatableResources",
};

/**
 * Reports declared fields that the other server doesn't have. Fields that no known version has are
 * errors of any preview.
 */
export function missingFields(
  object: KubeObject,
  { target: { version, facts } }: UpgradeContext,
): readonly UpgradeProblem[] {
  const { checked, prefix } = builtInPart(object);
  const key = `${checked.apiVersion}/${checked.kind}`;
  const type = facts.known.types(version).builtin.get(key);
  if (type === undefined) return [];
  const pods = podsPart(object);
  return schemaViolations(checked, type, () => false).flatMap(
    ({ misfit, path: own }): readonly UpgradeProblem[] => {
      const since = misfit === "unknown" ? findField(key, own, facts.known) : undefined;
      if (since === undefined) return [];
      const path = [...prefix, ...own];
      const replacement = fieldOf(replacements, path.at(-1) ?? "");
      const instead = replacement === undefined ? "" : `, or declare ${replacement}`;
      return [
        {
          code: "not-in-version",
          severity: "warning",
          what: `Kubernetes ${version} has no field ${fieldPath(path)}${pods}`,
          since,
          why:
            pods === ""
              ? "The API server rejects manifests with it"
              : "The API server or the controller drops it when it creates Pods",
          fix: `Remove the field while the cluster has Kubernetes ${version}${instead}`,
          path,
        },
      ];
    },
  );
}

/** The part of an object that the API server checks by a built-in schema. */
interface BuiltInPart {
  readonly checked: KubeObject;
  /** The path of that part in the object. */
  readonly prefix: readonly string[];
}

/** Returns a whole built-in object. For a custom resource that creates Pods, it returns a Pod. */
function builtInPart(object: KubeObject): BuiltInPart {
  const pods = podSpecOf(object);
  if (pods === undefined || isBuiltInGroup(groupOf(object.apiVersion)))
    return { checked: object, prefix: [] };
  const checked = { apiVersion: "v1", kind: "Pod", metadata: { name: "" }, spec: pods.spec };
  return { checked, prefix: pods.path.slice(0, -1) };
}

/**
 * Reports declared fields that only one of the servers drops without an error, because their
 * feature is off by default. If this server is unknown, it reports those that the other one drops.
 */
export function gatedFields(
  object: KubeObject,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  if (isCoreObject(object, "Secret")) return [];
  const { next, server, target } = context;
  const now = server === undefined ? [] : closedFields(object, server);
  const then = closedFields(object, next);
  const unknown = new Set(missingFields(object, context).map(({ path = [] }) => fieldPath(path)));
  const isIn = (fields: readonly ClosedField[], { path }: ClosedField) =>
    fields.some((each) => formatFieldPath(each.path) === formatFieldPath(path));
  const dropped = then.filter(
    (field) => !isIn(now, field) && !unknown.has(fieldPath(indexed(object, field))),
  );
  const stored = now.filter((field) => !isIn(then, field));
  return [
    ...dropped.map((field) => droppedField(object, field, target.version)),
    ...stored.map((field) => newlyStoredField(object, field, target.version)),
  ];
}

function droppedField(object: KubeObject, field: ClosedField, version: string): UpgradeProblem {
  return {
    code: "not-in-version",
    severity: "warning",
    what: `Kubernetes ${version} doesn't store ${formatFieldPath(field.path)}${podsPart(object)} by default`,
    since: gateVersion(field),
    why: "The API server drops the field without an error, because its feature gate is off",
    fix: `Remove the field while the cluster has Kubernetes ${version}, or enable ${field.gate} there`,
    path: indexed(object, field),
  };
}

function newlyStoredField(object: KubeObject, field: ClosedField, version: string): UpgradeProblem {
  return {
    code: "changed-default",
    severity: "note",
    what: `Kubernetes ${version} starts to store ${formatFieldPath(field.path)}${podsPart(object)}`,
    since: gateVersion(field),
    why: `This server drops the field by default. ${podsPart(object) === "" ? "The first deployment or drift correction after the upgrade adds it, and replaces Pods if it is in their template" : "Pods that are created after the upgrade have it"}`,
    fix: "Remove the field unless you want its effect",
    path: indexed(object, field),
  };
}

function gateVersion({ gate, since }: ClosedField): string {
  return since === undefined ? `feature gate ${gate}` : `${sinceText(since)}, feature gate ${gate}`;
}

/** Returns the path as the schema names it, with indexes of list items. */
function indexed(object: KubeObject, { path }: Pick<ClosedField, "path">): readonly string[] {
  return pathWithIndexes(object, path) ?? path.filter((step) => typeof step === "string");
}
