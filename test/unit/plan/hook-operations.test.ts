import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/model/object.ts";
import { idOf, keyOf } from "../../../src/model/object.ts";
import { codeAction, operationCode } from "../../../src/model/plan/approval.ts";
import type { Change, ChangeAction } from "../../../src/model/plan/plan.ts";
import { canonicalOperations, digestOperations } from "../../../src/plan/digest.ts";
import { countPlan } from "../../../src/report/review/count-objects.ts";

const account: KubeObject = {
  ...{ apiVersion: "v1", kind: "ServiceAccount" },
  metadata: { name: "cleanup", namespace: "shop", uid: "1" },
};

function change(action: ChangeAction, hook?: Change["hook"]): Change {
  const live = action === "create" ? undefined : account;
  const base = { key: keyOf(idOf(account)), id: idOf(account), stage: "app", steps: [], after: [] };
  return { ...base, action, desired: account, live, hook } as unknown as Change;
}

const hash = (text: string) => Buffer.from(text).toString("hex").padEnd(64, "0");
const before = { event: "pre-delete" } as const;

test("the digest contains the deletion of a hook that doesn't change", () => {
  const [unchanged, hook] = [change("unchanged"), change("unchanged", before)];
  const digests = [[], [unchanged], [hook]].map((all) => canonicalOperations("shop", all, []));
  expect(digests[1]).toBe(digests[0]);
  expect(digests[2]).not.toBe(digests[0]);
});

test.each<[ChangeAction, string]>([
  ["unchanged", "delete"],
  ["create", "hook"],
  ["update", "hook"],
  ["replace", "hook"],
])("an approval describes a hook with the change %s as %s", (action, expected) => {
  const operations = digestOperations("shop", [change(action, before)], [], { hash });
  expect(operations.map(operationCode).map(codeAction)).toEqual([expected]);
});

test("no approval of a change approves the hook with the same object", () => {
  const codes = [change("create"), change("create", before)].map((each) =>
    digestOperations("shop", [each], [], { hash }).map(({ digest }) => digest),
  );
  expect(codes[0]).not.toEqual(codes[1]);
});

test("the counts of a plan include the deletion of its hooks", () => {
  const changes = [change("create", before), change("unchanged", before)];
  const plan = { changes, deletions: [] } as unknown as Parameters<typeof countPlan>[0];
  expect(countPlan(plan)).toEqual({ create: 1, update: 0, replace: 0, delete: 2 });
});
