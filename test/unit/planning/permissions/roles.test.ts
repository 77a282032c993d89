import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { HealthRule } from "../../../../src/model/health-rule.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { PermissionCommand } from "../../../../src/planning/permissions/permission.ts";
import { requiredPermissions } from "../../../../src/planning/permissions/required-permissions.ts";
import { buildRoles, parseRoleSubject } from "../../../../src/planning/permissions/roles.ts";
import { rolesText } from "../../../../src/report/roles-text.ts";

/**
 * Tests the output of `qvs rbac` for manifests, without a cluster (docs/integrate/permissions.md).
 */
const deployment = { name: "shop", namespace: "shop" };

function rolesOf(
  yaml: string,
  command: PermissionCommand = "deploy",
  who = "serviceaccount:ci/deployer",
  health: readonly HealthRule[] = [],
) {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS() as JsonObject);
  const manifests = objects.map((object, index) => ({
    ...{ type: "manifest" as const, stage: "app" as const, id: `r${index}` },
    ...{ object, dependsOn: [] },
  }));
  const request = { command, deployment, manifests, recorded: [], served: [], byKind: false };
  const found = requiredPermissions({ ...request, health });
  const subject = parseRoleSubject(who);
  if (!found.ok || subject === undefined) throw new Error(JSON.stringify(found));
  return {
    ...found.value,
    documents: buildRoles({ ...request, subject, rights: found.value.rights }),
  };
}

/** Returns the required rules as `NAMESPACE: create,list widgets.example.com [name]`. */
function rulesOf(
  yaml: string,
  command?: PermissionCommand,
  health?: readonly HealthRule[],
): readonly string[] {
  return rolesOf(yaml, command, undefined, health).documents.flatMap(({ object, rules }) => {
    const { name = "", namespace = "the cluster" } = object.metadata as Record<string, string>;
    if (name.endsWith("-optional")) return [];
    return rules.map(({ rule }) => {
      const { apiGroups, resources, verbs, resourceNames = [] } = rule as Record<string, string[]>;
      const names = resourceNames.length === 0 ? "" : ` [${resourceNames}]`;
      return `${namespace}: ${verbs} ${resources}${apiGroups?.[0] ? `.${apiGroups}` : ""}${names}`;
    });
  });
}

const ofAll = [
  "shop: create leases.coordination.k8s.io",
  "shop: get,update leases.coordination.k8s.io [qvs-shop]",
  "shop: create,delete,list,update secrets",
  "shop: get configmaps [qvs-freeze]",
];

const cases: readonly { name: string; yaml: string; more: readonly string[] }[] = [
  {
    name: "names are included if the API knows them, but not for list, watch and create",
    yaml: "{apiVersion: v1, kind: Service, metadata: {name: web}}",
    more: ["shop: create,list services", "shop: delete,get,patch services [web]"],
  },
  {
    name: "the claims of a StatefulSet can be patched if it can be replaced without its Pods",
    yaml: `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, annotations: {vs.axis-dev.io/replace: orphan}}
spec: {volumeClaimTemplates: [{metadata: {name: data}}]}`,
    more: [
      "shop: create,list,watch statefulsets.apps",
      "shop: get,list,patch persistentvolumeclaims",
      "shop: delete,get,patch statefulsets.apps [db]",
    ],
  },
  {
    name: "a Namespace and other cluster-scoped kinds are in a ClusterRole",
    yaml: "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
    more: [
      "the cluster: create,list,watch namespaces",
      "the cluster: delete,get,patch namespaces [shop]",
    ],
  },
  {
    name: "an object of another namespace has its Role there",
    yaml: "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: other}}",
    more: [
      "other: create,list poddisruptionbudgets.policy",
      "other: delete,get,patch poddisruptionbudgets.policy [web]",
    ],
  },
  {
    name: "a CustomResourceDefinition defines the resource and the scope of its kind",
    yaml: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: geese.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: Goose, plural: geese}, versions: [{name: v1}]}
---
{apiVersion: example.com/v1, kind: Goose, metadata: {name: grey}}`,
    more: [
      "the cluster: create customresourcedefinitions.apiextensions.k8s.io",
      "the cluster: create,list geese.example.com",
      "the cluster: delete,get,patch customresourcedefinitions.apiextensions.k8s.io [geese.example.com]",
      "the cluster: delete,get,patch geese.example.com [grey]",
    ],
  },
  {
    name: "writing a Role needs its permissions, and binding one needs the permission to bind it",
    yaml: `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [endpoints], verbs: [get], resourceNames: [a, b]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: web}]`,
    more: [
      "shop: create,list rolebindings,roles.rbac.authorization.k8s.io",
      "shop: delete,get,patch rolebindings.rbac.authorization.k8s.io [reader]",
      "shop: delete,get,patch roles.rbac.authorization.k8s.io [reader]",
      "shop: bind clusterroles.rbac.authorization.k8s.io [view]",
      "shop: get endpoints [a,b]",
    ],
  },
  {
    name: "writing an aggregated ClusterRole needs all permissions, since its rules are unknown",
    yaml: `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}`,
    more: [
      "the cluster: create,list clusterroles.rbac.authorization.k8s.io",
      "the cluster: delete,get,patch clusterroles.rbac.authorization.k8s.io [all]",
      "the cluster: escalate clusterroles.rbac.authorization.k8s.io [all]",
    ],
  },
  {
    name: "an awaited object of an annotation is read",
    yaml: `
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: "core:Secret::other/tls"}}`,
    more: [
      "shop: create,list services",
      "shop: delete,get,patch services [web]",
      "other: get secrets [tls]",
    ],
  },
  {
    name: "an awaited object of an annotation is watched if it can be unready",
    yaml: `
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: "batch:Job::other/setup"}}`,
    more: [
      "shop: create,list services",
      "shop: delete,get,patch services [web]",
      "other: get jobs.batch [setup]",
      "other: list,watch jobs.batch",
    ],
  },
];

test.each(cases)("$name", ({ yaml, more }) => {
  expect(rulesOf(yaml).toSorted()).toEqual([...ofAll, ...more].toSorted());
});

const users = [
  "shop: list cronjobs,jobs.batch",
  "shop: list daemonsets,deployments,replicasets,statefulsets.apps",
  "shop: list pods",
];

test.each([
  ["settings-cdfefd3095", "a hash of what it holds"],
  ["settings-7d4b9c8f", "a hash of what it holds"],
  ["settings-v3", "a number"],
])("an object with a changing name (%s: %s) is allowed by its kind", (name) => {
  const yaml = `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
  const kind = "shop: create,delete,get,list,patch configmaps";
  const [lock, held, records] = ofAll;
  expect(rulesOf(yaml).toSorted()).toEqual([lock, held, records, kind, ...users].toSorted());
});

test("a correction creates no release, and drift only needs reads", () => {
  const yaml = `
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: "batch:Job::other/setup"}}`;
  const own = ["shop: create,list services", "shop: delete,get,patch services [web]"];
  const theirs = ["other: get jobs.batch [setup]", "other: list,watch jobs.batch"];
  const noted = ["shop: list secrets", "shop: update secrets"];
  const [create, held, , freeze] = ofAll;
  expect(rulesOf(yaml, "reconcile").toSorted()).toEqual(
    [create, held, freeze, ...noted, ...own, ...theirs].toSorted(),
  );
  expect(rulesOf(yaml, "drift").toSorted()).toEqual(
    [freeze, "shop: list secrets", "shop: list services", theirs[0]].toSorted(),
  );
  const written = "shop: create,delete,list,update secrets";
  const deleting = ["shop: delete,get services [web]", "shop: list services"];
  expect(rulesOf(yaml, "delete").toSorted()).toEqual(
    [create, held, freeze, written, ...deleting].toSorted(),
  );
});

test("a preview is allowed to read node autoscalers only for objects with Pods", () => {
  const resources = (yaml: string) =>
    rolesOf(yaml, "preview").documents.flatMap(({ rules }) =>
      rules.flatMap(({ rule }) => (rule as { resources: readonly string[] }).resources),
    );
  const web = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}";
  expect(resources(web)).toContain("nodepools");
  expect(resources("{apiVersion: v1, kind: Service, metadata: {name: web}}")).not.toContain(
    "nodepools",
  );
});

test("a deletion applies nothing, and a preview only needs reads", () => {
  const yaml = "{apiVersion: v1, kind: Service, metadata: {name: web}}";
  expect(rulesOf(yaml, "delete").toSorted()).toEqual(
    [...ofAll, "shop: delete,get services [web]", "shop: list services"].toSorted(),
  );
  expect(rulesOf(yaml, "preview").toSorted()).toEqual(
    [ofAll[3], "shop: list secrets", "shop: list services"].toSorted(),
  );
});

test("the order of the manifests doesn't change the output", () => {
  const one = "{apiVersion: v1, kind: Service, metadata: {name: a}}";
  const other = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: b}, spec: {}}";
  const text = (yaml: string) => rolesText(rolesOf(yaml).documents);
  expect(text(`${one}\n---\n${other}`)).toBe(text(`${other}\n---\n${one}`));
});

test("a resource that only a cluster can name is assumed and reported", () => {
  const yaml = "{apiVersion: example.com/v1, kind: ClusterPolicy, metadata: {name: a}}";
  expect(rolesOf(yaml).assumed).toEqual(["clusterpolicies.example.com"]);
  expect(rulesOf(yaml)).toContain("the cluster: delete,get,patch clusterpolicies.example.com [a]");
});

describe("a subject", () => {
  test.each([
    [
      "serviceaccount:ci/deployer",
      'request.userInfo.username == "system:serviceaccount:ci:deployer"',
    ],
    ["user:ann@example.com", 'request.userInfo.username == "ann@example.com"'],
    ['user:a" || true || "', 'request.userInfo.username == "a\\" || true || \\""'],
    ["group:ci", '"ci" in request.userInfo.groups'],
  ])("%s is limited to dry-runs, and no other subject is", (who, expression) => {
    const [policy] = rolesOf(
      "{apiVersion: v1, kind: Service, metadata: {name: a}}",
      "preview",
      who,
    ).documents;
    expect(policy?.object).toMatchObject({
      kind: "ValidatingAdmissionPolicy",
      spec: { matchConditions: [{ expression }], validations: [{ expression: "request.dryRun" }] },
    });
  });

  test.each(["ann", "user:", "serviceaccount:a", "serviceaccount:A/b", "serviceaccount:a/b/c"])(
    "%s isn't a subject",
    (text) => {
      expect(parseRoleSubject(text)).toBeUndefined();
    },
  );
});

test("the text has a comment for each rule, and optional rules are in separate Roles", () => {
  const yaml = "{apiVersion: v1, kind: Service, metadata: {name: web}}";
  expect(rolesText(rolesOf(yaml, "drift").documents)).toMatchSnapshot();
});

test("a null field needs permission to read the CustomResourceDefinition, unless the deployment declares it", () => {
  const optional = (yaml: string) =>
    rolesOf(yaml).rights.filter(({ why }) => why.includes("store null"));
  const valve = "{apiVersion: shop.example/v1, kind: Valve, metadata: {name: a}, spec: {b: null}}";
  expect(optional(valve)).toMatchObject([
    { resource: "customresourcedefinitions", verb: "get", name: "valves.shop.example" },
  ]);
  expect(optional(valve.replace("null", "[null]"))).toEqual([]);
  expect(optional("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: null}")).toEqual(
    [],
  );
  const definition =
    "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: valves.shop.example}, spec: {group: shop.example, scope: Namespaced, names: {kind: Valve, plural: valves}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}";
  expect(optional(`${valve}\n---\n${definition}`)).toEqual([]);
});

describe("a kind with a rule of the user", () => {
  const widget = "{apiVersion: shop.example/v1, kind: Widget, metadata: {name: a}}";
  const rule = { groups: ["shop.example"], kinds: ["Widget"], source: "qvs.yaml:3" };
  const verbs = (health: readonly HealthRule[], command?: PermissionCommand) =>
    rulesOf(widget, command, health).filter((each) => each.includes("widgets"));

  test("is watched, because a deployment waits for its rule", () => {
    expect(verbs([{ ...rule, current: "status.phase == 'Ready'" }])).toEqual([
      "shop: create,list,watch widgets.shop.example",
      "shop: delete,get,patch widgets.shop.example [a]",
    ]);
  });

  test("isn't watched in a preview", () => {
    const health = [{ ...rule, current: "status.phase == 'Ready'" }];
    expect(verbs(health, "preview")).toEqual(["shop: list widgets.shop.example"]);
  });

  test("isn't watched if the rule calls it ready at once", () => {
    expect(verbs([{ ...rule, current: "true" }])).toEqual(verbs([]));
    expect(verbs([])).toEqual([
      "shop: create,list widgets.shop.example",
      "shop: delete,get,patch widgets.shop.example [a]",
    ]);
  });
});
