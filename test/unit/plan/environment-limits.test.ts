import { expect, test } from "vitest";
import { environmentProblems } from "../../../src/plan/environment-limits.ts";
import { declare } from "../../support/plan/declare.ts";

const rules = { deployment: "shop-pr-3", onlyNamespace: "shop" };
const inGroup = "apiVersion: rbac.authorization.k8s.io/v1";
const role = (rule: string) => `{${inGroup}, kind: Role, metadata: {name: a}, rules: [${rule}]}`;
const binding = (kind: string, name: string) =>
  `{${inGroup}, kind: RoleBinding, metadata: {name: a}, roleRef: {kind: ${kind}, name: ${name}}}`;

const problemsOf = (object: string, onlyNamespace: string | undefined = "shop") =>
  environmentProblems(declare(`app/a: ${object}`), { ...rules, onlyNamespace });

test.each([
  ["reads", '{apiGroups: [""], resources: [namespaces, pods], verbs: [get, list, watch]}'],
  ["writes ConfigMaps", '{apiGroups: [""], resources: [configmaps], verbs: ["*"]}'],
  ["reads roles", "{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [get]}"],
  [
    "writes a kind of the same name",
    "{apiGroups: [a.example], resources: [namespaces], verbs: [patch]}",
  ],
])("an environment can contain a Role that %s", (_, rule) => {
  expect(problemsOf(role(rule))).toEqual([]);
});

test.each([
  ["the namespace", '{apiGroups: [""], resources: [namespaces], verbs: [patch]}'],
  [
    "a part of the namespace",
    '{apiGroups: [""], resources: [namespaces/finalize], verbs: [update]}',
  ],
  ["everything of the core group", '{apiGroups: [""], resources: ["*"], verbs: [get, "*"]}'],
  ["everything", '{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}'],
  ["roles", "{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate]}"],
  [
    "bindings",
    "{apiGroups: [rbac.authorization.k8s.io], resources: [rolebindings], verbs: [create]}",
  ],
])("an environment can't contain a Role that writes %s", (_, rule) => {
  expect(problemsOf(role(rule)).map(({ code }) => code)).toEqual(["environment-excessive-role"]);
});

test.each([
  ["Role", "own", 0],
  ["ClusterRole", "view", 0],
  ["ClusterRole", "edit", 0],
  ["ClusterRole", "admin", 1],
  ["ClusterRole", "cluster-admin", 1],
])("a binding to %s %s", (kind, name, problems) => {
  expect(problemsOf(binding(kind, name))).toHaveLength(problems);
});

test("another deployment can contain any Role", () => {
  const everything = role('{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}');
  expect(
    environmentProblems(declare(`app/a: ${everything}`), {
      deployment: "shop",
      onlyNamespace: undefined,
    }),
  ).toEqual([]);
});
