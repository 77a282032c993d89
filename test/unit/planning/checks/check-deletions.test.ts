import { expect, test } from "vitest";
import { parse } from "yaml";
import { defaultRequest } from "../../../../src/model/deployments/deploy-request.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { checkDeletions } from "../../../../src/planning/checks/check-deletions.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { planFrom } from "../../../support/plan/plan-from-text.ts";

const permission = refused("forbidden", 403, 'User "u" cannot delete resource "configmaps"');
const webhook = refused("forbidden", 403, 'admission webhook "guard" denied the request: in use');
const policy = refused("invalid", 422, "ValidatingAdmissionPolicy 'p' denied request: no");

const orphan = "app delete ConfigMap a";
const later = "app delete ConfigMap a after ConfigMap b\napp delete ConfigMap b";

const guard = "app delete ValidatingAdmissionPolicyBinding guard";
const guarded = refused(
  "invalid",
  422,
  "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'guard' denied request: no",
);

test.each([
  [
    "a policy that is deleted earlier",
    guarded,
    `${orphan} after ValidatingAdmissionPolicyBinding guard\n${guard}`,
    undefined,
  ],
  ["a policy that is also deleted", guarded, `${orphan}\n${guard}`, "declare it again"],
  ["a permission", permission, orphan, "declare it again"],
  ["a permission, whatever is deleted earlier", permission, later, "declare it again"],
  ["a policy", policy, later, "declare it again"],
  ["a webhook", webhook, orphan, "declare it again"],
  ["a webhook that might depend on an object deleted earlier", webhook, later, undefined],
  ["a webhook, for a recreated object", webhook, "app replace ConfigMap a", "another name"],
  ["an unavailable server", refused("unreachable", 0, "no answer"), orphan, undefined],
])("%s denies a deletion", async (_, answer, plan, fix) => {
  const cluster = fakeCluster();
  const refusing: FakeCluster = {
    ...cluster,
    dryRunDelete: async ({ name }) => (name === "a" ? answer : { ok: true, value: undefined }),
  };
  const context = { cluster: refusing, purpose: "deploy", request: defaultRequest } as const;
  const { blockers: problems } = await checkDeletions(context, planFrom(cluster, plan), {
    deletes: false,
  });
  expect(problems).toHaveLength(fix === undefined ? 0 : 1);
  expect(problems.map(describeProblem).join()).toContain(fix ?? "");
  expect(cluster.writes).toEqual([]);
});

const definition = "CustomResourceDefinition widgets.example.com";
const local = "APIService v1.example.com";

test.each([
  ["a CustomResourceDefinition", [definition, local], "", 1],
  ["no CustomResourceDefinition, as for an aggregated API server", [local], "", 0],
  ["a version with such a server", [definition, local], "service: {name: theirs}", 0],
  ["a version of an unknown API server", [definition], "", 0],
])("the deletion of a kind with %s", async (_, there, spec, count) => {
  const objects = there.map((each) => {
    const [kind, name] = each.split(" ");
    const group = kind === "APIService" ? "apiregistration" : "apiextensions";
    return parse(
      `{apiVersion: ${group}.k8s.io/v1, kind: ${kind}, metadata: {name: ${name}, namespace: ""}, spec: {${spec}}}`,
    ) as KubeObject;
  });
  const cluster = fakeCluster(objects);
  const names: string[] = [];
  const refusing: FakeCluster = {
    ...cluster,
    dryRunDelete: async ({ name }) => {
      names.push(name);
      return policy;
    },
  };
  const context = { cluster: refusing, purpose: "deploy", request: defaultRequest } as const;
  const plan = planFrom(cluster, "app delete Widget a\napp delete Widget b");
  const { blockers } = await checkDeletions(context, plan, { deletes: false });
  expect(blockers).toHaveLength(2 * count);
  expect(names).toHaveLength(2 * count);
});
