import { isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import { formatServerVersion } from "../../model/cluster/api/server-version.ts";
import { closedGates, withoutUnstoredFields } from "../../model/cluster/fields/unstored-fields.ts";
import { isCrd, isStoredVersion, storageVersion } from "../../model/cluster/namespaces-and-crds.ts";
import {
  type FieldStep,
  fieldDifferences,
  formatFieldPath,
} from "../../model/fields/field-differences.ts";
import { textAt } from "../../model/json.ts";
import { isCoreObject, kindKey } from "../../model/kinds.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import { droppedFields } from "../../model/plan/dropped-fields.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { storedObject } from "../../plan/changes/crds/pending-crds.ts";
import { unusableServiceFields } from "../../validation/forbidden-changes.ts";
import { asPlanned } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxFields = 10;
const dropFix = "Enable the feature in the cluster, or remove the field from the manifest";

const droppedByServer = {
  why: "The answer to the dry run doesn't contain the declared value. The feature is off in this cluster, or an admission webhook or policy removes the value",
  fix: dropFix,
};

const versionFix =
  "Add the field to the version with storage: true, or make the declared version the stored one";

const droppedByVersion = {
  why: "The API server stores the object in another version of its CustomResourceDefinition, which doesn't have the field",
  fix: versionFix,
};

/** A kind without feature gates. */
const droppedFromCustomKind = {
  why: "The answer to the dry run doesn't contain the declared value. The stored version of its CustomResourceDefinition doesn't have the field, or an admission webhook or policy removes the value",
  fix: versionFix,
};

/**
 * Reports declared fields that the API server doesn't store.
 * Unchanged objects count too: their live form lacks the fields, and no diff shows that.
 */
export function fieldDropped({
  plan,
  placeOf,
}: Pick<PreflightInput, "plan" | "placeOf">): readonly Finding[] {
  const definitions = declaredDefinitions(plan);
  return plan.changes.flatMap((change): readonly Finding[] => {
    const { id, desired, certainty } = change;
    const definition = definitions.get(kindKey(id));
    const isConverted =
      storageVersion(definition) !== undefined && !isStoredVersion(definition, desired.apiVersion);
    // Other fields that a schema lacks are reported as unknown.
    if (certainty.by === "schema" && !isConverted) return [];
    const fields = droppedFields(withStoredObject(change, definition));
    if (fields.length === 0) return [];
    const names = fields.map(({ path }) => formatFieldPath(path));
    return [
      changeFinding(change, placeOf, {
        code: "field-dropped",
        severity: "warning",
        what: `${nameOf(change.id)}: ${summarizeList(names, maxFields)} ${names.length === 1 ? "isn't" : "aren't"} stored by the API server`,
        ...(isConverted ? droppedByVersion : dropReason(change, names)),
        ...findingPath(fields.map(({ path }) => path)),
      }),
    ];
  });
}

/** Returns the declared definitions by the `group/Kind` that they define. */
function declaredDefinitions({ changes }: Plan): ReadonlyMap<string, KubeObject> {
  const definitions = changes.filter(({ id }) => isCrd(id)).map(asPlanned);
  return new Map(
    definitions.map((crd) => {
      const group = textAt(crd, "spec", "group") ?? "";
      return [kindKey({ group, kind: textAt(crd, "spec", "names", "kind") ?? "" }), crd] as const;
    }),
  );
}

/**
 * Predicts the stored form of an object that has no answer in its own namespace, because the
 * deployment creates the namespace.
 */
function withStoredObject(change: Change, definition: KubeObject | undefined): Change {
  const { predicted, live, desired } = change;
  if (definition === undefined || predicted !== undefined || live !== undefined) return change;
  return { ...change, predicted: storedObject(desired, { object: definition }) };
}

function dropReason({ id, desired }: Change, names: readonly string[]) {
  const unusable = new Set(unusableServiceFields(desired).map(({ field }) => field));
  if (names.every((name) => unusable.has(name))) {
    return {
      why: `A Service of type ${textAt(desired, "spec", "type") ?? "ClusterIP"} can't have the value. The API server drops it in this update, and rejects the next update that declares it`,
      fix: "Remove the field from the manifest",
    };
  }
  return isCustomGroup(id.group) ? droppedFromCustomKind : droppedByServer;
}

/**
 * Reports fields of new objects without an answer to a dry run, such as those in a new namespace.
 * An API server of this version drops them unless a feature gate is set.
 */
export function fieldDroppedByDefault({
  plan,
  facts,
  placeOf,
}: PreflightInput): readonly Finding[] {
  const { server } = facts;
  if (server === undefined) return [];
  return plan.changes.flatMap((change): readonly Finding[] => {
    if (!isNewWithoutAnswer(change)) return [];
    const gates = closedGates(change.desired, server);
    if (gates.length === 0) return [];
    const stored = withoutUnstoredFields(change.desired, server);
    const paths = fieldDifferences(change.desired, stored).map(({ path }) => path);
    return [
      changeFinding(change, placeOf, {
        code: "field-dropped",
        severity: "warning",
        what: `${nameOf(change.id)}: Kubernetes ${formatServerVersion(server)} doesn't store ${summarizeList(paths.map(formatFieldPath), maxFields)} by default`,
        why: `The API server drops fields of a feature gate that is off: ${summarizeList(gates.map(gateText), maxFields)}. qvs can't send a dry run for the object yet`,
        fix: dropFix,
        ...findingPath(paths),
      }),
    ];
  });
}

function isNewWithoutAnswer({ action, certainty, desired, predicted }: Change): boolean {
  const isAnswered = predicted !== undefined || ["server", "refused"].includes(certainty.by);
  return action === "create" && !isAnswered && !isCoreObject(desired, "Secret");
}

function gateText({ gate, since }: ReturnType<typeof closedGates>[number]): string {
  return since === undefined ? gate : `${gate} (on since Kubernetes 1.${since})`;
}

/**
 * Returns the path for the place of the finding.
 * A finding has one place, and a place is found by field names only.
 */
function findingPath([path, ...others]: readonly (readonly FieldStep[])[]): Pick<Finding, "path"> {
  const names = path?.filter((step) => typeof step === "string") ?? [];
  return path === undefined || others.length > 0 || names.length < path.length
    ? {}
    : { path: names };
}
