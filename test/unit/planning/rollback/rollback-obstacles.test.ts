import { expect, test } from "vitest";
import { unreadFacts } from "../../../../src/planning/rollback/rollback-obstacles.ts";
import { deletionOf, objectFrom, planWith } from "../../../support/plan/change-between.ts";

const namespace = objectFrom("{apiVersion: v1, kind: Namespace, metadata: {name: extra}}");
const database = objectFrom(
  "{apiVersion: example.com/v1, kind: Database, metadata: {namespace: shop, name: db}}",
);

test("contents and claims that qvs can't read leave the losses open", () => {
  const unread = [{ kind: "Secret", why: "secrets is forbidden" }];
  const plan = planWith({
    deletions: [
      deletionOf(namespace, { contents: { objects: [], unread } }),
      deletionOf(database, { alsoDeleted: { objects: [], unread: "claims is forbidden" } }),
    ],
  });
  expect(unreadFacts(plan).map(({ what }) => what)).toEqual([
    "qvs can't read all objects that are deleted with Namespace extra",
    "qvs can't read the claims that are deleted with Database shop/db",
  ]);
});

test("everything that was read leaves nothing open", () => {
  const contents = { objects: [], unread: [] };
  expect(unreadFacts(planWith({ deletions: [deletionOf(namespace, { contents })] }))).toEqual([]);
});
