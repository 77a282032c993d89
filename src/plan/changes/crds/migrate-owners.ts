import { isKnownAfterDeploy } from "../../../model/apply-time-reference.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import { type JsonObject, listAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Step } from "../../../model/plan.ts";
import { schemaViolations } from "../../../schema/schema-violations.ts";
import { versionsToMigrate } from "../../../ssa/steps/migrate-api-version.ts";
import type { PendingCrd } from "./pending-crds.ts";

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
  const name = version.slice(version.indexOf("/") + 1);
  const exists = listAt(crd.object, "spec", "versions").some(
    (each) => textAt(each, "name") === name,
  );
  if (!exists) return false;
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
