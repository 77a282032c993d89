import { fieldOf } from "../json.ts";
import type { FindingCode } from "./finding-codes.ts";
import type { ProblemCode } from "./problem-codes.ts";

/**
 * The former names of codes with their current names.
 * Users wrote former names in `--fail-on` and in annotations, releases recorded these annotations,
 * and earlier versions wrote them to plan.json. qvs reads each former name as the current one and
 * writes only current names. The documentation of a code lists its former name.
 */
export const previousCodes: Readonly<Record<string, FindingCode | ProblemCode>> = {
  "claimed-twice": "exclusive-value-conflict",
  "claimed-until-deleted": "address-released-late",
  "claims-stay": "existing-claims-unchanged",
  "cluster-field-left-out": "cluster-field-omitted",
  "coming-admission": "pending-admission",
  "deletes-others": "deletes-outside-objects",
  "deletes-owned": "deletes-dependents",
  "gave-way": "run-superseded",
  "ignored-nothing": "ignore-path-unmatched",
  "kept-object-gone": "kept-object-missing",
  "never-served": "kind-not-served",
  "no-longer-listed": "deployment-not-listed",
  "null-left-out": "null-omitted",
  "old-pods-stay": "old-pods-remain",
  "other-source": "deployment-source-mismatch",
  "owner-gone": "owner-missing",
  "plan-file-refused": "plan-file-rejected",
  "run-cancelled": "run-canceled",
  "taken-along": "also-deleted",
  "trace-left-out": "trace-omitted",
  "went-back": "automatic-rollback",
};

/** Returns the current name of a written code, and any other text unchanged. */
export function currentCode(code: string): string {
  return fieldOf(previousCodes, code) ?? code;
}
