import { isConversionRejected } from "../../model/cluster/api/messages/api-message.ts";
import { isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import type { StepOf } from "../../model/plan/plan.ts";
import { unionFieldSets } from "../field-sets.ts";
import { resourceVersionGuard } from "../json-patch.ts";
import { entryFields } from "../managed-fields.ts";
import { isNameTaken, ownNameRequest, trialObject } from "./conflicting-resources.ts";
import {
  type DryRunResult,
  lastRejection,
  type StepCandidate,
  type StepKind,
  type StepTrial,
  withFirstStep,
} from "./step.ts";

/**
 * Records the owners of an object's fields in the declared API version
 * (docs/reference/ownership.md#api-version-migration).
 * The API server can't merge owners that are recorded in a removed version, or in one that lacks a
 * field.
 * After the migration, it merges the object as usual.
 */
export const migrateApiVersion: StepKind<StepOf<"migrate-api-version">> = {
  detect,
  assume: () => undefined,
  execution: (_step, { object: { apiVersion } }) => ({
    by: "patch",
    patch: (live) =>
      versionsToMigrate(live, apiVersion).length === 0
        ? "done"
        : apiVersionMigrationPatch(live, apiVersion),
  }),
  describe: ({ versions }, { name, apiVersion }) => [
    {
      code: "api-version-migrated",
      subjects: [name],
      what: `${name}: qvs records its field owners in ${apiVersion}`,
      why: `They are recorded in ${versions.join(", ")}, to which the API server can't convert it`,
      fix: `Use ${apiVersion} in every tool that applies this object`,
      where: [],
    },
  ],
  digest: ({ versions }) => ({ migrates: [...versions] }),
};

/**
 * Tests whether the owners can be rewritten and whether the object is valid by itself.
 * No dry run can show the merged result before the migration.
 */
function detect({ object, live }: StepCandidate, soFar: DryRunResult): StepTrial | undefined {
  const { alone } = soFar;
  const versions = versionsToMigrate(live, object.apiVersion);
  if (alone.ok || !isConversionRejected(alone.failure) || versions.length === 0) return undefined;
  const unanswered = `its field owners are recorded in ${versions.join(", ")}, and qvs rewrites them first`;
  return {
    requests: [
      { verb: "patch", patch: apiVersionMigrationPatch(live, object.apiVersion) },
      { verb: "apply", object: trialObject(object, live), force: false },
    ],
    fallbacks: [
      ([rewritten]) => (rewritten?.ok === true ? ownNameRequest(object, live) : undefined),
    ],
    conclude: (answers) =>
      lastRejection(answers) === undefined || isNameTaken(answers)
        ? withFirstStep({ type: "migrate-api-version", versions }, { ...soFar, unanswered })
        : soFar,
  };
}

/**
 * Lists the other API versions in which owners are recorded, sorted.
 * To merge, the API server converts the object to each of them, including those of a status.
 * If versions of a CRD differ, it fails at a field that an old version lacks, or at a removed
 * version.
 */
export function versionsToMigrate(live: KubeObject, apiVersion: string): readonly string[] {
  const versions = listAt(live, "metadata", "managedFields").map(entryVersion);
  const others = versions.filter((each) => isOtherVersion(each, apiVersion));
  return [...new Set(others)].sort();
}

/**
 * Returns the JSON Patch (RFC 6902) that records the owners in `apiVersion`, for exactly this
 * version of the object.
 */
export function apiVersionMigrationPatch(
  live: KubeObject,
  apiVersion: string,
): readonly JsonObject[] {
  const entries = listAt(live, "metadata", "managedFields")
    .filter(isObject)
    .map((entry) =>
      isOtherVersion(entryVersion(entry), apiVersion) ? { ...entry, apiVersion } : entry,
    );
  // If two entries differ only in their fields, the API server would keep one of them.
  const same = Map.groupBy(entries, entryIdentity);
  const value = [...same.values()].map((each) => ({
    ...each[0],
    fieldsV1: unionFieldSets(each.map(entryFields)),
  }));
  return [resourceVersionGuard(live), { op: "replace", path: "/metadata/managedFields", value }];
}

function entryVersion(entry: Json): string {
  return textAt(entry, "apiVersion") ?? "";
}

function isOtherVersion(version: string, apiVersion: string): boolean {
  return version !== apiVersion && groupOf(version) === groupOf(apiVersion);
}

function entryIdentity(entry: JsonObject): string {
  const { manager, operation, subresource = "", apiVersion } = entry;
  return JSON.stringify([manager, operation, subresource, apiVersion]);
}
