import { parseQuantity } from "../../model/cluster/quantity.ts";
import {
  type FieldDifference,
  type FieldStep,
  fieldDifferences,
  formatFieldPath,
} from "../../model/fields/field-differences.ts";
import type { Json } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { nameOf } from "../../model/object.ts";
import { declaredContent } from "../../model/plan/dropped-fields.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxFields = 3;

/**
 * Reports declared fields for which the API server would store another value.
 * Readers of the manifest, or of its diff between commits, don't see that value.
 */
export function changedByAdmission({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.flatMap((change): readonly Finding[] => {
    const fields = overriddenFields(change);
    if (fields.length === 0) return [];
    return [
      changeFinding(change, placeOf, {
        code: "changed-by-admission",
        severity: "note",
        what: `${nameOf(change.id)}: ${summarizeList(fields, maxFields)} ${fields.length === 1 ? "is" : "are"} changed by the API server`,
        why: "The answer to the dry run has another value than declared. An admission webhook or policy in the cluster changes the object",
        fix: "Declare the stored value, or change the webhook or policy",
      }),
    ];
  });
}

/**
 * Lists the overruled fields without their values.
 * The diff shows the values if they aren't sensitive.
 */
function overriddenFields({
  action,
  certainty,
  predicted,
  redacted,
  desired,
  id,
}: Change): readonly string[] {
  const isSecret = isCoreKind(id, "Secret");
  const isAnswered = certainty.by === "server" && predicted !== undefined && redacted === undefined;
  if (action === "unchanged" || !isAnswered || isSecret) return [];
  const differences = fieldDifferences(declaredContent(desired), declaredContent(predicted));
  return differences
    .filter((each) => isOverridden(each) && !each.path.some(isListIndex))
    .map(({ path }) => formatFieldPath(path));
}

/**
 * Reports whether a step is a list index.
 * List items without a key can belong to another tool, which inserted them before the declared
 * ones.
 */
function isListIndex(step: FieldStep): boolean {
  return typeof step === "number";
}

/**
 * Reports whether the API server stores a different value.
 * Empty fields get defaults, and the API server writes some values in another form.
 */
function isOverridden({ before, after }: FieldDifference): boolean {
  if (!isScalar(before) || !isScalar(after)) return false;
  if (before === "" || before === 0 || before === false) return false;
  return !isEquivalent(String(before), String(after));
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/**
 * Reports whether two values mean the same: `0.5` and `500m`, a number and a string, or two forms
 * of a time.
 */
function isEquivalent(declared: string, stored: string): boolean {
  if (declared === stored) return true;
  const [one, other] = [parseQuantity(declared), parseQuantity(stored)];
  if (one !== undefined && other !== undefined)
    return isNear(one, other) || isNear(roundUpToThousandths(one), other);
  return isTime(declared) && isTime(stored);
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.abs(a);
}

/** The API server rounds requests and limits up to thousandths. */
function roundUpToThousandths(amount: number): number {
  return Math.ceil(amount * 1000 - 1e-6) / 1000;
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
}
