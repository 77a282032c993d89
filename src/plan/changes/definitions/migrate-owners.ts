import { isKnownLater } from "../../../model/apply-time-reference.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import { type JsonObject, listAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Step } from "../../../model/plan.ts";
import { misfitsIn } from "../../../schema/misfits.ts";
import { versionsToMigrate } from "../../../ssa/steps/migrate-api-version.ts";
import type { ComingDefinition } from "./coming-definitions.ts";

/**
 * The steps of a change, with the one that records the owners of the object's fields in the declared version wherever the server
 * can't merge otherwise once it goes by a definition that this deployment changes first: no dry-run can show that before.
 */
export function migratingOwners(
  steps: readonly Step[],
  object: KubeObject,
  live: KubeObject,
  definition: ComingDefinition,
): readonly Step[] {
  if (steps.some(({ type }) => settledBy.has(type))) return steps;
  const versions = versionsToMigrate(live, object.apiVersion);
  // The server merges the two before it removes what is no longer declared, and converts all of that.
  const isRefused = (version: string) =>
    [live, object].some((each) => !isConvertible(each, version, definition));
  if (!versions.some(isRefused)) return steps;
  const start = steps.findIndex(({ type }) => !goingBefore.has(type));
  return steps.toSpliced(start, 0, { type: "migrate-api-version", versions });
}

/** After these there are no such owners. */
const settledBy: ReadonlySet<Step["type"]> = new Set(["migrate-api-version", "recreate"]);

/** As where a dry-run finds the step. */
const goingBefore: ReadonlySet<Step["type"]> = new Set(["transfer-ownership", "reclaim"]);

/** By a definition without a webhook, converting changes nothing but the version. With one, the webhook knows what becomes of each field. */
function isConvertible(object: KubeObject, version: string, definition: ComingDefinition): boolean {
  const { spec } = definition.object;
  const name = version.slice(version.indexOf("/") + 1);
  const isThere = listAt(definition.object, "spec", "versions").some(
    (each) => textAt(each, "name") === name,
  );
  if (!isThere) return false;
  if (textAt(spec, "conversion", "strategy") === "Webhook") return true;
  const type = definition.typeOf(`${version}/${object.kind}`);
  return type === undefined || hasAllOf(type, object);
}

/** Those of a status count, too. */
function hasAllOf(type: ObjectType, object: JsonObject): boolean {
  const holder: ObjectType = {
    type: "object",
    fields: new Map([["object", type]]),
    required: [],
    open: false,
  };
  const misfits = misfitsIn({ object }, holder, isKnownLater);
  return misfits.every(({ misfit }) => misfit === "missing");
}
