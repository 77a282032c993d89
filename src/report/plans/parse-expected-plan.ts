import * as v from "valibot";
import { nameOf, type ObjectId } from "../../model/object.ts";
import { type ApprovedPlans, codePattern } from "../../model/plan/approval.ts";
import { failed, ok, type Result } from "../../model/problems/problem.ts";

/** Returns the approval of exactly the plan with this digest. */
export function expectDigest(digest: string): ApprovedPlans {
  return { policy: "require", approvals: [{ by: "", digest }], missing: [] };
}

/** Parses the output of `qvs diff --format json`. */
export function parseExpectedPlan(text: string, file: string): Result<ApprovedPlans> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), preview), text);
  if (!parsed.success) {
    return failed([
      {
        code: "invalid-approved-plan",
        what: `"${file}" contains no plan of this version`,
        why: "The preview of a deployment contains a plan only if qvs compared it with the cluster",
        fix: "Write the file again: qvs diff --format json > plan.json",
        where: [],
      },
    ]);
  }
  const { digest, operations, capabilities, changes, deletions } = parsed.output;
  const shown = [
    ...changes.map(({ action, object, diff }) => ({ action, name: nameOf(object), diff })),
    ...deletions.map(({ object, takes }) => ({
      ...{ action: "delete", name: nameOf(object), diff: takes.map(alsoDeleted) },
    })),
  ].filter(({ action }) => action !== "unchanged");
  const approvals = [{ by: "", digest, operations }];
  return ok({ ...expectDigest(digest), approvals, shown, answers: capabilities });
}

/** Returns the line for an object outside the deployment that is deleted with another object. */
export function alsoDeleted(name: string): string {
  return `also deletes ${name}`;
}

const object = v.object({
  group: v.string(),
  kind: v.string(),
  namespace: v.string(),
  name: v.string(),
}) satisfies v.GenericSchema<ObjectId>;

const preview = v.object({
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Absent in files of older versions, which approve only an identical plan. */
  operations: v.optional(v.array(v.pipe(v.string(), v.regex(codePattern)))),
  /** Absent in files of older versions. */
  capabilities: v.optional(v.array(v.object({ question: v.string(), answer: v.string() }))),
  changes: v.array(v.object({ action: v.string(), object, diff: v.array(v.string()) })),
  deletions: v.array(v.object({ object, takes: v.optional(v.array(v.string()), []) })),
});
