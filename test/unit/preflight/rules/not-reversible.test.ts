import { expect, test } from "vitest";
import type { RollbackPreview } from "../../../../src/model/plan/predictions.ts";
import { notReversible } from "../../../../src/preflight/rules/not-reversible.ts";

const object = { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "a" };
const record = { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "qvs.shop.v3" };
const known = { object, what: "Secret shop/a is lost", why: "It is deleted", fix: "Keep it" };
const empty = { to: 3, objects: 1, lost: [], reasons: [], notes: [], needs: [] };

function findings(rollback: Partial<RollbackPreview>) {
  const where = { file: "main.cue", line: 3, column: 1 };
  const placeOf = (key: string) => (key.includes("qvs.") ? undefined : where);
  return notReversible({
    rollback: { ...empty, ...rollback },
    record,
    deployment: "shop",
    placeOf,
  });
}

test("a lost part is a warning with its place and fix", () => {
  expect(findings({ possible: true, lost: [known] })).toEqual([
    {
      code: "not-reversible",
      severity: "warning",
      object,
      what: "Secret shop/a isn't restored by a rollback to release 3",
      why: "Secret shop/a is lost. It is deleted",
      fix: "Keep it",
      where: [{ file: "main.cue", line: 3, column: 1 }],
    },
  ]);
});

test("a reason without an object concerns the deployment, not the Secret of its release", () => {
  const reason = { what: "It can't be planned", why: "", fix: "Wait" };
  const [found] = findings({ possible: false, reasons: [reason] });
  expect(found?.what).toBe('"shop" blocks a rollback to release 3');
  expect(found).toMatchObject({ object: record, why: "It can't be planned", where: [] });
});

test("notes, needed flags and an unknown answer are no warning", () => {
  expect(findings({ possible: true, notes: [known], needs: ["allow-irreversible: true"] })).toEqual(
    [],
  );
  expect(findings({ reasons: [known] })).toEqual([]);
});
