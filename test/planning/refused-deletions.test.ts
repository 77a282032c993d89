import { expect, test } from "vitest";
import { describeProblem } from "../../src/model/problems/errors.ts";
import { checkDeletions } from "../../src/planning/checks/check-deletions.ts";
import { planFrom } from "../apply/plan-from-text.ts";
import { type FakeCluster, fakeCluster, refused } from "../support/fake-cluster.ts";

const permission = refused("forbidden", 403, 'User "u" cannot delete resource "configmaps"');
const webhook = refused("forbidden", 403, 'admission webhook "guard" denied the request: in use');
const policy = refused("invalid", 422, "ValidatingAdmissionPolicy 'p' denied request: no");

const orphan = "app delete ConfigMap a";
const later = "app delete ConfigMap a after ConfigMap b\napp delete ConfigMap b";

test.each([
  ["a permission", permission, orphan, "declare it again"],
  ["a permission, whatever goes before", permission, later, "declare it again"],
  ["a policy", policy, later, "declare it again"],
  ["a webhook", webhook, orphan, "declare it again"],
  ["a webhook that may look at what goes before", webhook, later, undefined],
  ["a webhook, for what is recreated", webhook, "app replace ConfigMap a", "another name"],
  ["a server that is down", refused("unreachable", 0, "no answer"), orphan, undefined],
])("%s that refuses a deletion", async (_, answer, plan, fix) => {
  const cluster = fakeCluster();
  const refusing: FakeCluster = {
    ...cluster,
    tryDelete: async ({ name }) => (name === "a" ? answer : { ok: true, value: undefined }),
  };
  const context = { cluster: refusing, purpose: "deploy", concurrency: 4 } as const;
  const { blockers: problems } = await checkDeletions(context, planFrom(cluster, plan));
  expect(problems).toHaveLength(fix === undefined ? 0 : 1);
  expect(problems.map(describeProblem).join()).toContain(fix ?? "");
  expect(cluster.writes).toEqual([]);
});
