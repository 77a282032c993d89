import { replaceAnnotation } from "../../model/annotations.ts";
import { type ApiFailure, explainApiFailure } from "../../model/cluster/api/api-failure.ts";
import { isUidMismatch } from "../../model/cluster/api/messages/api-message.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { showableRejection } from "../../redaction/showable-rejection.ts";

/** The problem of an object whose name isn't part of the texts. */
export type FailureExplanation = Omit<Problem, "where" | "subjects" | "about" | "paste">;

/** Explains why the API server rejected a write, without the Secret values of `object`. */
export function explainFailure(failure: ApiFailure, object: JsonObject): FailureExplanation {
  const known = explainApiFailure(failure);
  // The details of the server, or of qvs's own comparison, would only repeat the explanation.
  const isOutdated = failure.reason === "conflict" && known.code === "object-changed";
  if (isOutdated || isUidMismatch(failure)) {
    const { code, means, fix } = known;
    return { code, what: means, fix };
  }
  const shown = showableRejection(failure, object);
  const { code, means, fix } = explainApiFailure(shown);
  const isRecreated =
    code === "immutable-field" &&
    textAt(object, "metadata", "annotations", replaceAnnotation) === "true";
  return {
    code,
    what: means,
    facts: [{ label: "answer", value: failureDetails(shown) }],
    ...(isRecreated ? recreateOnRerun : { fix }),
  };
}

const recreateOnRerun = {
  why: `qvs now knows the values that it takes from other objects, so its annotation ${replaceAnnotation} takes effect in the next run`,
  fix: "Run again: qvs deletes the object and creates it again",
};

/** Describes the error of each field, if the API server reports fields. */
function failureDetails({ reason, message, causes }: ApiFailure): string {
  const conflicts = causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (reason === "conflict" && conflicts.length > 0) {
    return conflicts.map((c) => `${c.field.replace(/^\./, "")} (${c.message})`).join(", ");
  }
  if (reason !== "invalid" || causes.length === 0) return message;
  return causes
    .map((c) => (c.field === "" || c.field === "<nil>" ? c.message : `${c.field}: ${c.message}`))
    .join("; ");
}
