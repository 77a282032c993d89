import { podSpecOf } from "../../model/cluster/pods.ts";
import { isExternalName } from "../../model/cluster/service-types.ts";
import {
  at,
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { addressOf, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, fieldManager, type Plan } from "../../model/plan/plan.ts";
import type { RollbackObstacle } from "../../model/plan/predictions.ts";
import { stages } from "../../model/sources/compilation.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { childKeys, childValue, declaredChild, existingFields } from "../../ssa/field-sets.ts";
import { setAtPath } from "../../ssa/json-patch.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import { unrecordedManager } from "../../ssa/ownership-transfer.ts";
import { contentAfterChange, type RestoredObjects } from "./object-after-change.ts";

/** The maximum number of field managers in a message. */
const maxManagers = 3;

/**
 * The fields that the API server sets in a new object, and that no update sets again. An update
 * that no longer declares them keeps the declared value or removes it.
 */
const valuesOfNewObjects: ReadonlyMap<string, readonly string[]> = new Map([
  ["/Service", ["ipFamilyPolicy", "ipFamilies"]],
  ["networking.k8s.io/Ingress", ["ingressClassName"]],
]);

/** Returns the values of a new object that the plan overwrites and that don't come back. */
export function lostInitialValues(
  plan: Plan,
  restored: RestoredObjects,
): readonly RollbackObstacle[] {
  return plan.changes.flatMap(({ key, id, live, action }) => {
    const { live: changed, predicted: again } = restored.get(key) ?? {};
    if (action !== "update" || live === undefined || again === undefined) return [];
    // An external name has no families, so that the Service gets new ones like a new object.
    if ([live, changed ?? again].some(isExternalName)) return [];
    const lost = (valuesOfNewObjects.get(kindKey(id)) ?? []).filter((field) => {
      const [before, after] = [live, again].map((each) => at(each, "spec", field));
      return before !== undefined && !sameJson(before, after ?? null);
    });
    if (lost.length === 0) return [];
    const names = lost.map((field) => `spec.${field}`).join(" and ");
    return [
      {
        object: addressOf(live),
        what: `${nameOf(id)} doesn't get back ${names}`,
        why: "The API server sets this default only in a new object, and the current release declares no value",
        fix: "Declare the present value in a deployment first",
      },
    ];
  });
}

/** Returns the Pod templates that keep the ServiceAccount of the plan. */
export function keptServiceAccounts(
  plan: Plan,
  restored: RestoredObjects,
): readonly RollbackObstacle[] {
  const accountOf = (object: KubeObject) => textAt(podSpecOf(object)?.spec, "serviceAccountName");
  return plan.changes.flatMap(({ key, id, live, action }) => {
    const again = restored.get(key);
    const after = again?.predicted && accountOf(again.predicted);
    if (action !== "update" || live === undefined || again === undefined) return [];
    const isKept = after !== undefined && accountOf(again.desired) === undefined;
    if (!isKept || after === accountOf(live)) return [];
    return [
      {
        object: addressOf(live),
        what: `${nameOf(id)} keeps the ServiceAccount of the deployment after a rollback`,
        why: "The API server restores it from the deprecated field serviceAccount, because the current release declares none",
        fix: "Declare serviceAccountName: default in a deployment first",
      },
    ];
  });
}

/**
 * Returns an updated object without the values that only a new object gets. `merged` is the result
 * of the merge with the live object.
 */
export function withoutInitialValues(object: KubeObject, merged: KubeObject): KubeObject {
  const fields = valuesOfNewObjects.get(kindKey(idOf(object))) ?? [];
  return fields.reduce(
    (updated, field) =>
      setAtPath(updated, ["spec", field], at(merged, "spec", field)) as KubeObject,
    object,
  );
}

/**
 * Returns the values of other field managers that the plan overwrites and that the rollback doesn't
 * write again, and the adopted objects that the rollback keeps as the plan leaves them.
 */
export function lostFields(
  plan: Plan,
  undo: Plan | undefined,
  restored: RestoredObjects,
): readonly RollbackObstacle[] {
  const adopted = new Set(
    (undo?.kept ?? []).filter(({ why }) => why === "met before").map(({ key }) => key),
  );
  return plan.changes.flatMap((change) => {
    if (change.action === "unchanged" || change.live === undefined) return [];
    if (adopted.has(change.key)) return [keptObject(change, change.live)];
    const again = restored.get(change.key);
    return again === undefined ? [] : overwrittenFields(change, change.live, again, plan);
  });
}

function keptObject({ id }: Change, live: KubeObject): RollbackObstacle {
  return {
    object: addressOf(live),
    what: `${nameOf(id)} existed before this deployment adopts it, and keeps the new values`,
    why: "A rollback keeps the object, because the current release doesn't declare it",
    fix: "Save its present manifest before the merge if it is needed",
  };
}

function overwrittenFields(
  change: Change,
  live: KubeObject,
  again: Change,
  { deployment }: Plan,
): readonly RollbackObstacle[] {
  const after = contentAfterChange(change, deployment);
  const lost = foreignChanges(live, after, again.desired, deployment);
  if (lost.length === 0) return [];
  const managers = [...new Set(lost.map(({ manager }) => `"${manager}"`))].toSorted();
  const paths = new Set(lost.map(({ path }) => path));
  return [
    {
      object: addressOf(live),
      what: `${nameOf(change.id)} doesn't get back ${paths.size === 1 ? "1 value" : `${paths.size} values`} of ${summarizeList(managers, maxManagers)}`,
      why: "The deployment overwrites them, and the current release doesn't declare them",
      fix: "Save these values before the merge, or leave the fields out of the manifest",
    },
  ];
}

/** A field of another manager whose present value no rollback writes again. */
interface ForeignChange {
  readonly manager: string;
  readonly path: string;
}

/**
 * Returns the fields of other managers whose live value differs after a change and isn't declared
 * by `manifest`. Metadata and status aren't included: controllers write them again.
 */
export function foreignChanges(
  live: KubeObject,
  after: KubeObject,
  manifest: KubeObject,
  deployment: string,
): readonly ForeignChange[] {
  const own = new Set(stages.map((stage) => fieldManager(deployment, stage)));
  return fieldOwners(live)
    .filter(
      ({ manager, subresource }) =>
        !own.has(manager) && manager !== unrecordedManager && subresource !== "status",
    )
    .flatMap(({ manager, fields }) => {
      const { "f:metadata": _, "f:status": _status, ...content } = existingFields(fields, live);
      return changedPaths(content, live, after, manifest).map((path) => ({ manager, path }));
    });
}

function changedPaths(
  set: JsonObject,
  live: Json,
  after: Json | undefined,
  manifest: Json | undefined,
  path = "",
): readonly string[] {
  return childKeys(set).flatMap((child) => {
    const before = childValue(live, child);
    if (before === undefined) return [];
    const now = after === undefined ? undefined : childValue(after, child);
    const declared = manifest === undefined ? undefined : declaredChild(manifest, child);
    const below = fieldOf(set, child);
    const inner = isObject(below) ? below : {};
    const place = `${path}/${child}`;
    if (childKeys(inner).length > 0) return changedPaths(inner, before, now, declared, place);
    return isSame(before, now) || isSame(before, declared) ? [] : [place];
  });
}

function isSame(before: Json, other: Json | undefined): boolean {
  return other !== undefined && sameJson(before, other);
}
