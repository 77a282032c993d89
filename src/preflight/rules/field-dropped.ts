import { droppedFields } from "../../model/dropped-fields.ts";
import { type FieldStep, formatFieldPath } from "../../model/fields/field-differences.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxFields = 10;

/**
 * Reports declared fields that the API server doesn't store.
 * Unchanged objects count too: their live form lacks the fields, and no diff shows that.
 */
export function fieldDropped({
  plan,
  placeOf,
}: Pick<PreflightInput, "plan" | "placeOf">): readonly Finding[] {
  return plan.changes.flatMap((change): readonly Finding[] => {
    const fields = droppedFields(change);
    if (fields.length === 0) return [];
    const names = fields.map(({ path }) => formatFieldPath(path));
    return [
      changeFinding(change, placeOf, {
        code: "field-dropped",
        severity: "warning",
        what: `${nameOf(change.id)}: ${summarizeList(names, maxFields)} ${names.length === 1 ? "isn't" : "aren't"} stored by the API server`,
        why: "The answer to the dry run doesn't contain the declared value. The feature is off in this cluster, or an admission webhook or policy removes the value",
        fix: "Enable the feature in the cluster, or remove the field from the manifest",
        ...findingPath(fields.map(({ path }) => path)),
      }),
    ];
  });
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
