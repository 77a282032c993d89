import { replaceAnnotation } from "../../model/annotations.ts";
import { type ApiFailure, meaningOf } from "../../model/cluster/api-failure.ts";
import { isAnotherObject } from "../../model/cluster/api-words/state.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { showableRefusal } from "../../redaction/showable-refusal.ts";

/** The cause of a failure and its fix, without periods. */
export type Explanation = Pick<Problem, "code" | "what" | "fix" | "inputs">;

/** Explains why the API server rejected a write, without the Secret values of `object`. */
export function explainFailure(failure: ApiFailure, object: JsonObject): Explanation {
  const known = meaningOf(failure);
  // The details of the server, or of qvs's own comparison, would only repeat the explanation.
  const isOutdated = failure.reason === "conflict" && known.code === "object-changed";
  if (isOutdated || isAnotherObject(failure)) {
    const { code, means, fix } = known;
    return { code, what: means, fix };
  }
  const shown = showableRefusal(failure, object);
  const { code, means, fix } = meaningOf(shown);
  const isRecreated =
    code === "immutable-field" &&
    textAt(object, "metadata", "annotations", replaceAnnotation) === "true";
  return {
    code,
    what: `${means}: ${detailsOf(shown)}`,
    fix: isRecreated ? recreatedNextTime : fix,
  };
}

const recreatedNextTime = `Run again: what it takes from other objects is known now, so it is deleted and created again, as its annotation ${replaceAnnotation} says`;

/** Describes the error of each field, if the API server reports fields. */
function detailsOf({ reason, message, causes }: ApiFailure): string {
  const conflicts = causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (reason === "conflict" && conflicts.length > 0) {
    return conflicts.map((c) => `${c.field.replace(/^\./, "")} (${c.message})`).join(", ");
  }
  if (reason !== "invalid" || causes.length === 0) return message;
  return causes
    .map((c) => (c.field === "" || c.field === "<nil>" ? c.message : `${c.field}: ${c.message}`))
    .join("; ");
}
