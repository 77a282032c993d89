import * as v from "valibot";
import type { ApprovedPlans } from "../../model/approval.ts";
import { nameOf, type ObjectId } from "../../model/object.ts";
import { codePattern } from "../../model/problems/approval-codes.ts";
import { failed, ok, type Result } from "../../model/problems/problem.ts";

/** The plan whose digest the user gave. */
export function expectDigest(digest: string): ApprovedPlans {
  return { policy: "require", approvals: [{ by: "", digest }], missing: [] };
}

/** Reads the output of `qvs diff --format json`. */
export function parseExpectedPlan(text: string, file: string): Result<ApprovedPlans> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), preview), text);
  if (!parsed.success) {
    return failed([
      {
        code: "invalid-approved-plan",
        what: `${file} has no plan of this version`,
        fix: "Write it with `qvs diff --format json > plan.json`, of a deployment that was compared with its cluster",
        where: [],
      },
    ]);
  }
  const { digest, operations, changes, deletions } = parsed.output;
  const shown = [
    ...changes.map(({ action, object, diff }) => ({ action, name: nameOf(object), diff })),
    ...deletions.map(({ object, takes }) => ({
      ...{ action: "delete", name: nameOf(object), diff: takes.map(goesToo) },
    })),
  ].filter(({ action }) => action !== "unchanged");
  return ok({ ...expectDigest(digest), approvals: [{ by: "", digest, operations }], shown });
}

/** The line for an object outside the deployment that another deletion deletes. */
export function goesToo(name: string): string {
  return `with ${name}`;
}

const object = v.object({
  group: v.string(),
  kind: v.string(),
  namespace: v.string(),
  name: v.string(),
}) satisfies v.GenericSchema<ObjectId>;

const preview = v.object({
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Absent in files of older versions. They approve only an identical plan. */
  operations: v.optional(v.array(v.pipe(v.string(), v.regex(codePattern)))),
  changes: v.array(v.object({ action: v.string(), object, diff: v.array(v.string()) })),
  deletions: v.array(v.object({ object, takes: v.optional(v.array(v.string()), []) })),
});
