import {
  crdVersion,
  definesKind,
  isCrd,
  storageVersion,
} from "../../../model/cluster/namespaces-and-crds.ts";
import {
  noUpstreamDeployments,
  type UpstreamChange,
} from "../../../model/deployments/other-deployments.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import {
  at,
  isList,
  isObject,
  type Json,
  type JsonObject,
  pathKeyWithoutIndex,
  replaceValues,
  sameJson,
  textAt,
} from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import {
  isKnownAfterDeploy,
  knownAfterDeploy,
  referencesSecret,
  secretMatcher,
  valueAt,
} from "../../../model/plan/apply-time-reference.ts";
import type { Step } from "../../../model/plan/plan.ts";
import { versionsToMigrate } from "../../../ssa/steps/migrate-api-version.ts";
import { customTypes } from "../../../validation/custom-types.ts";
import { withCheckedFormats } from "../../../validation/integer-formats.ts";
import { schemaViolations } from "../../../validation/schema-violations.ts";
import { storedValue } from "../../../validation/stored-value.ts";
import { createPlanBudget, type WorkBudget } from "../../../validation/undecided.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import type { PlanInput } from "../../plan-input.ts";
import { allDependencies } from "../../upstream-deployments.ts";

/**
 * Adds the step that records the owners of the object's fields in the declared version, if the API
 * server can't merge otherwise.
 * This happens when the deployment changes the definition first, which no dry run can show.
 */
export function addOwnerMigration(
  steps: readonly Step[],
  object: KubeObject,
  live: KubeObject,
  crd: PendingCrd,
): readonly Step[] {
  if (steps.some(({ type }) => stepsWithoutMigration.has(type))) return steps;
  const versions = versionsToMigrate(live, object.apiVersion);
  // The API server first converts and merges both objects. After that, it removes fields that are
  // no longer declared.
  const isRefused = (version: string) =>
    [live, object].some((each) => !isConvertible(each, version, crd));
  if (!versions.some(isRefused)) return steps;
  const start = steps.findIndex(({ type }) => !precedingSteps.has(type));
  return steps.toSpliced(start, 0, { type: "migrate-api-version", versions });
}

/** Steps after which no owners in other versions remain. */
const stepsWithoutMigration: ReadonlySet<Step["type"]> = new Set([
  "migrate-api-version",
  "recreate",
  "orphan",
]);

/** Steps before the migration, in the same order as in a dry run that finds the step. */
const precedingSteps: ReadonlySet<Step["type"]> = new Set(["transfer-ownership", "reclaim"]);

/**
 * Reports whether an object can be converted to a version.
 * Without a webhook, a conversion changes only the version. With a webhook, only the webhook knows
 * the result for each field.
 */
function isConvertible(object: KubeObject, version: string, crd: PendingCrd): boolean {
  const { spec } = crd.object;
  if (crdVersion(crd.object, version) === undefined) return false;
  if (textAt(spec, "conversion", "strategy") === "Webhook") return true;
  const type = crd.typeOf(`${version}/${object.kind}`);
  return type === undefined || hasAllFields(type, object);
}

/** Reports whether the type has all fields of the object, including the status. */
function hasAllFields(type: ObjectType, object: JsonObject): boolean {
  const holder: ObjectType = {
    type: "object",
    fields: new Map([["object", type]]),
    required: [],
    open: false,
  };
  const misfits = schemaViolations({ object }, holder, isKnownAfterDeploy);
  return misfits.every(({ misfit }) => misfit === "missing");
}

/**
 * Replaces values of Secrets in a live object, or in the API server's result, by
 * `knownAfterDeploy`. A pull request can contain the definition. Its rules and patterns could
 * reveal a Secret's value piece by piece, where a reference copied it.
 */
export function maskSecretValues(object: KubeObject, desired: DesiredObject): KubeObject {
  const { applyTimeReferences, ignoredSecretFields, previousSecretValues } = desired;
  const secretReferences = applyTimeReferences.filter((text) => referencesSecret([text]));
  if (secretReferences.length + ignoredSecretFields.length + previousSecretValues.length === 0)
    return object;
  const places = new Set(
    [...secretReferences, ...ignoredSecretFields].map(({ path }) => pathKeyWithoutIndex(path)),
  );
  const isHidden = secretMatcher({
    applyTimeReferences: secretReferences,
    ignoredSecretFields,
    previousSecretValues,
  });
  return replaceValues(object, (value, path) => {
    if (isList(value) || isObject(value)) return undefined;
    // A value that the manifest contains itself is no secret to its author.
    const isWritten = sameJson(valueAt(desired.object, path), value);
    const isSecret = places.has(pathKeyWithoutIndex(path)) || (!isWritten && isHidden(value));
    return isSecret ? knownAfterDeploy : undefined;
  });
}

/**
 * A CustomResourceDefinition that this or an upstream deployment creates or changes first.
 * The API server then judges by it instead of by its present definition.
 */
export interface PendingCrd extends CrdChange {
  /** The work budget for all objects of the kinds that this plan defines. */
  readonly budget: WorkBudget;
}

interface CrdChange {
  readonly key: string;
  readonly object: KubeObject;
  readonly isNew: boolean;
  /** Returns the type for a key such as `example.com/v1/Kind`. */
  readonly typeOf: (key: string) => ObjectType | undefined;
}

/** The definitions that this or an upstream deployment creates or changes, by their keys. */
export type PendingCrds = ReadonlyMap<string, PendingCrd>;

export function collectPendingCrds({
  rules: { upstream = noUpstreamDeployments },
  desired: { objects },
  observed: { live, dryRuns, server },
}: PlanInput): PendingCrds {
  const own = objects
    .filter(({ id }) => isCrd(id))
    .flatMap(({ key, object }): readonly CrdChange[] => {
      const before = live.get(key);
      const answer = dryRuns.get(key)?.answer;
      if (before === undefined) return [toCrdChange(key, object, true)];
      if (answer?.ok !== true) return [];
      return crdChanges(key, before, answer.value);
    });
  const others = [...upstream.changes.values()].filter(({ id }) => isCrd(id));
  const found = [...others.flatMap(upstreamCrdChanges), ...own];
  const budget = createPlanBudget();
  return new Map(
    found.map((change) => [
      change.key,
      { ...change, object: withCheckedFormats(change.object, server), budget },
    ]),
  );
}

/** Returns the definition that an upstream deployment creates or changes. */
function upstreamCrdChanges({
  key,
  desired,
  live,
  predicted,
}: UpstreamChange): readonly CrdChange[] {
  if (live === undefined) return [toCrdChange(key, predicted ?? desired, true)];
  return predicted === undefined ? [] : crdChanges(key, live, predicted);
}

function crdChanges(key: string, before: KubeObject, after: KubeObject): readonly CrdChange[] {
  const isSame = sameJson(at(before, "spec", "versions"), at(after, "spec", "versions"));
  return isSame ? [] : [toCrdChange(key, after, false)];
}

function toCrdChange(key: string, object: KubeObject, isNew: boolean): CrdChange {
  return { key, object, isNew, typeOf: customTypes([object], "any") };
}

export function findPendingCrd(
  desired: Pick<DesiredObject, "key" | "id">,
  links: Pick<PlanInput["desired"], "edges" | "upstreamEdges">,
  crds: PendingCrds,
): PendingCrd | undefined {
  if (crds.size === 0) return undefined;
  return (
    allDependencies(desired.key, links)
      .flatMap(({ on }) => crds.get(on) ?? [])
      // An annotation can add a dependency on another definition.
      .find(({ object }) => definesKind(object, desired.id))
  );
}

/**
 * Returns the object as the API server will store it by the definition. Without a webhook that
 * converts it, it loses the fields that the schema of the stored version doesn't have.
 */
export function storedObject(
  { apiVersion, kind, metadata, ...rest }: KubeObject,
  { object: crd }: Pick<PendingCrd, "object">,
): KubeObject {
  const isConverted = textAt(crd, "spec", "conversion", "strategy") === "Webhook";
  const own = schemaOf(crdVersion(crd, apiVersion));
  const schemas = [own, ...(isConverted ? [] : [schemaOf(storageVersion(crd))])];
  const stored = schemas.reduce<Json>(
    (value, schema) => (schema === undefined ? value : storedValue(value, schema)),
    rest,
  );
  return { ...(stored as JsonObject), apiVersion, kind, metadata };
}

function schemaOf(version: Json | undefined): JsonObject | undefined {
  const schema = at(version, "schema", "openAPIV3Schema");
  return isObject(schema) ? schema : undefined;
}

/** Returns the schema of the definition for the version of the object. */
export function versionSchema(
  { apiVersion }: Pick<KubeObject, "apiVersion">,
  { object }: Pick<CrdChange, "object">,
): JsonObject | undefined {
  return schemaOf(crdVersion(object, apiVersion));
}
