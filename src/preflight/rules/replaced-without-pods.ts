import { replaceAnnotation } from "../../model/annotations.ts";
import { fieldDifferences, formatFieldPath } from "../../model/fields/field-differences.ts";
import { type Json, type JsonObject, numberAt, textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import { type Change, fieldManager, grownClaims, replacesPods } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { describeGrowth } from "../../plan/changes/claim-growth.ts";
import { existingLeaves, fieldPaths, pickFields, subtractFieldSet } from "../../ssa/field-sets.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import { asPlanned, keepsTemplate } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { immutableFields, immutablePath } from "./recreated.ts";

/**
 * Reports StatefulSets that are deleted without their Pods and created again.
 * The new object has only the declared fields, so the finding names what other managers lose.
 */
export function replacedWithoutPods({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const replaced = plan.changes.filter(
    (change) => change.action === "replace" && !replacesPods(change),
  );
  return replaced.map((change) => {
    const hazards = [...partitionHazard(change), ...lostFields(change, plan.deployment)];
    const isAlone = hazards.length === 0;
    return changeFinding(change, placeOf, {
      code: "immutable",
      severity: isAlone ? "note" : "warning",
      what: `${nameOf(change.id)} is deleted and created again, and its Pods stay`,
      why: [
        `${immutableFields(change)} can't be changed on a live object, and ${replaceAnnotation}: orphan allows the replacement`,
        ...growth(change),
        ...restarts(change),
        ...hazards,
      ].join(". "),
      fix: isAlone ? `Nothing to do: ${meantime}` : `Check these effects. In addition, ${meantime}`,
      path: immutablePath(change),
    });
  });
}

const meantime = "a Pod that ends during the replacement starts again when the StatefulSet exists";

function growth({ steps }: Change): readonly string[] {
  const claims = grownClaims(steps);
  return claims.length === 0 ? [] : [`Claims that grow: ${describeGrowth(claims)}`];
}

function restarts(change: Change): readonly string[] {
  const changesService = immutableFields(change)?.includes("spec.serviceName") === true;
  const subdomain = "Running Pods keep the subdomain of the old Service until they restart";
  return [
    keepsTemplate(change)
      ? "The Pod template stays, so no Pod restarts"
      : "The Pod template changes, so its Pods restart by its update strategy",
    ...(changesService && keepsTemplate(change) ? [subdomain] : []),
  ];
}

/**
 * Reports that a partition loses its effect on Pods that restart.
 * The status of a new StatefulSet contains no current revision, so its controller takes the newest.
 */
function partitionHazard(change: Change): readonly string[] {
  const planned = asPlanned(change);
  const partition = numberAt(planned, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const [current, update] = ["currentRevision", "updateRevision"].map((name) =>
    textAt(change.live, "status", name),
  );
  if (partition === 0 || (keepsTemplate(change) && current === update)) return [];
  return [
    `Pods below partition ${partition} get the new template when they restart, because a new StatefulSet doesn't know their old revision`,
  ];
}

const maxFields = 5;

/** Lists the fields that other field managers set in the live object and that the new one lacks. */
function lostFields(change: Change, deployment: string): readonly string[] {
  const { live, stage } = change;
  if (live === undefined) return [];
  const own = fieldManager(deployment, stage);
  const planned = asPlanned(change);
  return fieldOwners(live)
    .filter(({ manager, subresource }) => manager !== own && subresource === "")
    .flatMap(({ manager, fields }) => {
      const lost = [
        ...missingFields(fields, live, planned),
        ...changedFields(pickFields(live, fields), pickFields(planned, fields)),
      ];
      return lost.length === 0 ? [] : [`${manager} loses ${summarizeList(lost, maxFields)}`];
    });
}

function missingFields(fields: JsonObject, live: Json, planned: Json): readonly string[] {
  return fieldPaths(
    subtractFieldSet(existingLeaves(fields, live), existingLeaves(fields, planned)),
  );
}

function changedFields(before: Json | undefined, after: Json | undefined): readonly string[] {
  return fieldDifferences(before, after)
    .filter((each) => each.before !== undefined && each.after !== undefined)
    .map(({ path }) => formatFieldPath(path));
}
