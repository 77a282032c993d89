import { expect, test } from "vitest";
import type { ApiFailure } from "../../../src/model/cluster/api/api-failure.ts";
import type { LiveObjects } from "../../../src/model/deployments/release.ts";
import type { Step } from "../../../src/model/plan/plan.ts";
import { canonicalOperations, digestOperations } from "../../../src/plan/digest.ts";
import { declare, text } from "../../support/plan/declare.ts";
import { applied, appliedFrom, liveFrom } from "../../support/plan/live.ts";
import { inventoryFrom, planOf, planText, type Situation } from "../../support/plan/plan-text.ts";

function check(situation: Situation, expected: string): void {
  expect(planText(planOf(situation))).toBe(text(expected));
}

const config = (name: string, annotations = "") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, annotations: {${annotations}}}, data: {x: text}}\n`;

const pod = (configMap: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: ${configMap}}}]}]}}}
`;

test("an absent object is created, a different one is updated, and an equal one is unchanged", () => {
  check(
    {
      before: config("same") + config("other").replace("text", "was"),
      declared: config("same") + config("other") + config("new"),
    },
    `
    create ConfigMap shop/new (app, server)
    update ConfigMap shop/other (app, server)
    unchanged ConfigMap shop/same (app, comparison)
    `,
  );
});

test("an update without changes in its dry-run is unchanged", () => {
  const declared = config("a").replace("text", "1000m");
  const live = new Map(
    [...appliedFrom(declared)].map(([key, object]) => [key, { ...object, data: { x: "1" } }]),
  );
  const answer = { ok: true, value: { ...[...live.values()][0], status: {} } } as never;
  check(
    { declared, live, answers: { "core:ConfigMap::shop/a": answer } },
    `unchanged ConfigMap shop/a (app, server)`,
  );
});

test("the adoption of an object with equal fields is an update with a notice", () => {
  const live = liveFrom(
    `[{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop, uid: u}, data: {x: text}}]`,
  );
  check(
    { declared: config("a"), live },
    `
    update ConfigMap shop/a (app, server)
    notice: ConfigMap shop/a: adopted by this deployment
    `,
  );
});

test("an object with a trace of this deployment isn't reported as adopted", () => {
  const [changed] = declare(config("a").replace("text", "old"));
  if (changed === undefined) throw new Error("nothing declared");
  const { managedFields: _fields, ...labelled } = applied(changed).metadata;
  const { labels: _labels, ...managed } = applied(changed).metadata;
  for (const metadata of [labelled, managed]) {
    const live = new Map([[changed.key, { ...changed.object, metadata }]]);
    check({ declared: config("a"), live }, `update ConfigMap shop/a (app, server)`);
  }
});

test("a replaced ConfigMap is deleted after everything new exists, dependents first", () => {
  check(
    { before: config("old") + pod("old"), declared: config("new") + pod("new") },
    `
    create ConfigMap shop/new (app, server)
    update Deployment shop/web (app, server)
    delete ConfigMap shop/old (app)
    `,
  );
  check(
    {
      before: `${config("old")}${pod("old")}appSetup/z: {apiVersion: v1, kind: ConfigMap, metadata: {name: z}}`,
      declared: config("new"),
    },
    `
    create ConfigMap shop/new (app, server)
    delete Deployment shop/web (app)
    delete ConfigMap shop/old (app)
      after apps:Deployment::shop/web: it depends on this: its Pods use this ConfigMap
    delete ConfigMap shop/z (appSetup)
    `,
  );
});

test("only live objects of the inventory are deleted", () => {
  const elsewhere = appliedFrom(config("never-recorded"));
  check(
    {
      before: config("a") + config("b"),
      gone: ["core:ConfigMap::shop/b"],
      live: elsewhere,
      declared: "",
      allowDelete: ["everything"],
    },
    `
    delete ConfigMap shop/a (app)
    notice: ConfigMap shop/never-recorded: applied by this deployment, but not recorded in any release
    `,
  );
});

test("a manually added keepOnDelete annotation protects a live object", () => {
  const [a] = declare(config("a", "vs.axis-dev.io/keepOnDelete: by-hand"));
  if (a === undefined) throw new Error("nothing declared");
  check(
    {
      before: config("a"),
      live: new Map([[a.key, applied(a)]]),
      declared: "",
    },
    `keep ConfigMap shop/a (keepOnDelete: key by-hand, revision 0)`,
  );
});

test("a recorded keepOnDelete key protects an object without the live annotation", () => {
  check(
    {
      inventory: inventoryFrom(config("a", "vs.axis-dev.io/keepOnDelete: k")),
      live: appliedFrom(config("a")),
      declared: "",
    },
    `keep ConfigMap shop/a (keepOnDelete: key k, revision 0)`,
  );
});

test("the new object of a kept series gets the next revision, and the old object is kept", () => {
  const keep = "vs.axis-dev.io/keepOnDelete: app-config";
  const live = new Map(
    [...appliedFrom(config("old", keep))].map(([key, object]) => [
      key,
      {
        ...object,
        metadata: {
          ...object.metadata,
          annotations: {
            "vs.axis-dev.io/keepOnDelete": "app-config",
            "vs.axis-dev.io/revision": "1",
          },
        },
      },
    ]),
  );
  const situation = { before: config("old", keep), live, declared: config("new", keep) };
  check(
    situation,
    `
    create ConfigMap shop/new (app, server)
    keep ConfigMap shop/old (keepOnDelete: key app-config, revision 1)
    `,
  );
  const plan = planOf(situation);
  expect(plan.ok && plan.value.changes[0]?.desired.metadata.annotations).toEqual({
    "vs.axis-dev.io/keepOnDelete": "app-config",
    "vs.axis-dev.io/revision": "2",
  });
});

test("a missing dependency doesn't hide other errors", () => {
  check(
    {
      before: precious,
      declared: config("a") + config("b", "vs.axis-dev.io/dependsOn: 'core:Secret::shop/none'"),
    },
    `
    ConfigMap shop/b depends on core:Secret::shop/none, which doesn't exist
      why: It isn't in the cluster, and this deployment doesn't declare it
      → Declare it in this deployment
        or create it first
        or correct the annotation vs.axis-dev.io/dependsOn
    Namespace extra would be deleted with everything in it
      why: It is no longer declared
      → Declare Namespace extra again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate namespace extra vs.axis-dev.io/keepOnDelete=kept
        or delete it with --allow-delete=Namespace
    PersistentVolumeClaim shop/data would be deleted with everything in it
      why: It is no longer declared
      → Declare PersistentVolumeClaim shop/data again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate persistentvolumeclaim data -n shop vs.axis-dev.io/keepOnDelete=kept
        or delete it with --allow-delete=PersistentVolumeClaim
    `,
  );
});

test("an object that another manager has adopted is kept with a notice", () => {
  const foreign = (change: (labels: object) => object, manager: string): LiveObjects =>
    new Map(
      [...appliedFrom(config("a"))].map(([key, object]) => {
        const metadata = {
          ...object.metadata,
          labels: change(object.metadata.labels as object) as never,
          managedFields: [{ manager, operation: "Apply", fieldsV1: {} }],
        };
        return [key, { ...object, metadata }];
      }),
    );
  check(
    { before: config("a"), declared: "", live: foreign((labels) => labels, "helm") },
    `
    keep ConfigMap shop/a (not ours: its field managers don't include qvs-shop-test-appSetup or qvs-shop-test-app)
    notice: ConfigMap shop/a is no longer declared but stays
    `,
  );
  check(
    {
      before: config("a"),
      declared: "",
      live: foreign(() => ({ "vs.axis-dev.io/deployment": "bakery" }), "qvs-shop-test-app"),
    },
    `
    keep ConfigMap shop/a (not ours: its label vs.axis-dev.io/deployment names the deployment bakery)
    notice: ConfigMap shop/a is no longer declared but stays
    `,
  );
});

test("a kept object that another deployment has adopted is left to that deployment", () => {
  const kept = config("a", "vs.axis-dev.io/keepOnDelete: k");
  const live = new Map(
    [...appliedFrom(kept)].map(([key, object]) => {
      const labels = { "vs.axis-dev.io/deployment": "bakery" };
      return [key, { ...object, metadata: { ...object.metadata, labels } }];
    }),
  );
  check(
    { before: kept, declared: "", live },
    `
    keep ConfigMap shop/a (not ours: its label vs.axis-dev.io/deployment names the deployment bakery)
    notice: ConfigMap shop/a is no longer declared but stays
    `,
  );
});

test("a changed API version or group isn't a deletion", () => {
  const role = (group: string) =>
    `app/i: {apiVersion: ${group}, kind: Ingress, metadata: {name: i}, spec: {x: text}}`;
  check(
    { before: role("networking.k8s.io/v1beta1"), declared: role("networking.k8s.io/v1") },
    `update Ingress shop/i (app, server)`,
  );
  const [key, object] = [...appliedFrom(role("extensions/v1beta1"))][0] ?? [];
  if (key === undefined || object === undefined) throw new Error("nothing applied");
  const now = [...appliedFrom(role("networking.k8s.io/v1"))].map(([newKey, moved]) => [
    newKey,
    { ...moved, metadata: { ...moved.metadata, uid: object.metadata.uid } },
  ]) as [string, typeof object][];
  check(
    {
      before: role("extensions/v1beta1"),
      declared: role("networking.k8s.io/v1"),
      live: new Map(now),
    },
    `unchanged Ingress shop/i (app, comparison)`,
  );
});

const precious = `
app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}
appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: extra}}
`;

test("volumes, namespaces and CustomResourceDefinitions are deleted only with a flag for their kind", () => {
  check(
    { before: precious, declared: config("a") },
    `
    Namespace extra would be deleted with everything in it
      why: It is no longer declared
      → Declare Namespace extra again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate namespace extra vs.axis-dev.io/keepOnDelete=kept
        or delete it with --allow-delete=Namespace
    PersistentVolumeClaim shop/data would be deleted with everything in it
      why: It is no longer declared
      → Declare PersistentVolumeClaim shop/data again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate persistentvolumeclaim data -n shop vs.axis-dev.io/keepOnDelete=kept
        or delete it with --allow-delete=PersistentVolumeClaim
    `,
  );
  check(
    {
      before: precious,
      declared: config("a"),
      allowDelete: ["Namespace", "PersistentVolumeClaim"],
    },
    `
    create ConfigMap shop/a (app, server)
    delete PersistentVolumeClaim shop/data (app)
    delete Namespace extra (appSetup)
    `,
  );
});

test("a Namespace or CustomResourceDefinition is never deleted if it contains kept objects", () => {
  const ns = "appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n";
  const keep = config("kept", "vs.axis-dev.io/keepOnDelete: k");
  const crd = `
appSetup/crd:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.acme.example}
  spec: {group: acme.example, scope: Namespaced, names: {kind: Widget}, versions: [{name: v1}]}
app/w: {apiVersion: acme.example/v1, kind: Widget, metadata: {name: w, namespace: other, annotations: {vs.axis-dev.io/keepOnDelete: w}}}
`;
  check(
    {
      before: ns + keep + crd,
      declared: config("a"),
      allowDelete: ["Namespace", "CustomResourceDefinition"],
    },
    `
    CustomResourceDefinition widgets.acme.example: its deletion would also delete Widget other/w
      why: It is no longer declared. No flag allows a deletion that also deletes kept objects
      → Declare CustomResourceDefinition widgets.acme.example again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate customresourcedefinition.apiextensions.k8s.io widgets.acme.example vs.axis-dev.io/keepOnDelete=kept
        or delete both: delete Widget other/w manually, and use --allow-delete=CustomResourceDefinition
    Namespace shop: its deletion would also delete 2 objects
      objects: ConfigMap shop/a, ConfigMap shop/kept
      why: It is no longer declared. No flag allows a deletion that also deletes declared or kept objects
      → Declare Namespace shop again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate namespace shop vs.axis-dev.io/keepOnDelete=kept
        or delete all of them: remove ConfigMap shop/a from the config as well, delete ConfigMap shop/kept manually, and use --allow-delete=Namespace
    `,
  );
});

test("the namespace of the releases and the deployment lock is never deleted", () => {
  check(
    {
      before: "appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
      declared: "app/r: {apiVersion: v1, kind: Namespace, metadata: {name: other}}",
      allowDelete: ["Namespace"],
    },
    `
    Namespace shop: its deletion would also delete the releases and the lock of this deployment
      why: It is no longer declared
      → Declare Namespace shop again
        or keep it: run this on its cluster, then run qvs again: kubectl annotate namespace shop vs.axis-dev.io/keepOnDelete=kept
    `,
  );
});

test("objects in a deleted namespace are deleted before it, even without a recorded dependency", () => {
  const inside =
    "app/x: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: extra}}\n";
  const ns = "appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: extra}}\n";
  check(
    {
      before: inside + ns,
      inventory: [...inventoryFrom(inside), ...inventoryFrom(ns)],
      declared: config("a"),
      allowDelete: ["Namespace"],
    },
    `
    create ConfigMap shop/a (app, server)
    delete ConfigMap extra/x (app)
    delete Namespace extra (appSetup)
      after core:ConfigMap::extra/x: it would be deleted with this
    `,
  );
});

const dependsOn = (name: string) => `vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/${name}"`;

test("the dependencies of a kept object are kept transitively", () => {
  check(
    {
      before:
        config("a", `vs.axis-dev.io/keepOnDelete: k, ${dependsOn("b")}`) +
        config("b", dependsOn("c")) +
        config("c") +
        config("d", dependsOn("c")),
      declared: config("new"),
    },
    `
    create ConfigMap shop/new (app, server)
    delete ConfigMap shop/d (app)
    keep ConfigMap shop/a (keepOnDelete: key k, revision 0)
    keep ConfigMap shop/b (needed: ConfigMap shop/a depends on it and is kept)
    keep ConfigMap shop/c (needed: ConfigMap shop/b depends on it and is kept)
    `,
  );
});

test("a dependency of a declared object isn't deleted", () => {
  check(
    { before: config("a", dependsOn("b")) + config("b"), declared: config("a", dependsOn("b")) },
    `
    ConfigMap shop/a depends on ConfigMap shop/b, which would be deleted
      dependency: annotation vs.axis-dev.io/dependsOn
      why: ConfigMap shop/b is no longer declared
      → Declare ConfigMap shop/b again
        or remove the dependency on it from ConfigMap shop/a
    `,
  );
  const kept = config("b", "vs.axis-dev.io/keepOnDelete: k");
  check(
    { before: config("a", dependsOn("b")) + kept, declared: config("a", dependsOn("b")) },
    `
    unchanged ConfigMap shop/a (app, comparison)
    await ConfigMap shop/b
    keep ConfigMap shop/b (keepOnDelete: key k, revision 0)
    `,
  );
});

test("deleting all objects of a deployment needs a flag", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g"].map((name) => config(name)).join("");
  check(
    { before, declared: "" },
    `
    "shop-test" no longer declares any object
      objects: ConfigMap shop/a, ConfigMap shop/b, ConfigMap shop/c, ConfigMap shop/d, ConfigMap shop/e and 2 more
      why: All 7 live objects would be deleted
      → Find out what made the config empty
        or delete all its objects with --allow-delete=everything
    `,
  );
  check(
    { before: config("a"), declared: "" },
    `
    "shop-test" no longer declares any object
      objects: ConfigMap shop/a
      why: 1 live object would be deleted
      → Find out what made the config empty
        or delete all its objects with --allow-delete=everything
    `,
  );
  check(
    { before: config("a"), declared: "", allowDelete: ["everything"] },
    `delete ConfigMap shop/a (app)`,
  );
  check({ before: config("a"), declared: "", gone: ["core:ConfigMap::shop/a"] }, "");
  check(
    { before: config("a") + config("b"), declared: config("a") },
    `
    unchanged ConfigMap shop/a (app, comparison)
    delete ConfigMap shop/b (app)
    `,
  );
});

test("recorded edges that contradict each other do not stop a deletion", () => {
  const inventory = inventoryFrom(config("a") + config("b")).map((entry) => ({
    ...entry,
    after: [{ on: `core:ConfigMap::shop/${entry.id.name === "a" ? "b" : "a"}`, reason: "old" }],
  }));
  check(
    {
      before: config("a") + config("b"),
      inventory,
      declared: "",
      allowDelete: ["everything"],
    },
    `
    delete ConfigMap shop/a (app)
    delete ConfigMap shop/b (app)
      after core:ConfigMap::shop/a: it depends on this: old
    `,
  );
});

const failure = (
  reason: ApiFailure["reason"],
  message: string,
  causes: ApiFailure["causes"] = [],
) => ({
  ok: false as const,
  failure: { reason, status: 400, message, causes },
});

test("each conflict is reported with its owner and both values", () => {
  const conflict = (field: string, message: string) => ({
    reason: "FieldManagerConflict",
    field,
    message,
  });
  check(
    {
      before: pod("a").replace("template", "replicas: 2, template"),
      declared: pod("a").replace("template", "replicas: 3, template"),
      answers: {
        "apps:Deployment::shop/web": failure("conflict", "Apply failed with 1 conflict", [
          conflict(
            ".spec.replicas",
            'conflict with "kube-controller-manager" with subresource "scale" using apps/v1 at 2026-01-02T03:04:05Z',
          ),
        ]),
      },
    },
    `
    Deployment shop/web: spec.replicas is owned by another field manager
      owner: "kube-controller-manager" (through the scale subresource, like an autoscaler or kubectl scale)
      cluster: 2
      manifest: 3
      → Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'spec.replicas'
        or remove spec.replicas from the manifest
        or overwrite it with --conflicts=force, which takes the fields of all conflicts; kube-controller-manager can set them again
    `,
  );
});

test("a manager whose fields qvs adopts anyway isn't named next to another conflict", () => {
  const conflict = (field: string, manager: string) => ({
    reason: "FieldManagerConflict",
    field,
    message: `conflict with "${manager}" using v1`,
  });
  const live = liveFrom(`
    - apiVersion: v1
      kind: ConfigMap
      metadata:
        name: a
        namespace: shop
        uid: u
        managedFields:
          - {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsV1: {"f:data": {"f:x": {}}}}
          - {manager: painter, operation: Update, apiVersion: v1, fieldsV1: {"f:data": {"f:y": {}}}}
      data: {x: red, y: red}
  `);
  const planned = planOf({
    declared: config("a").replace("{x: text}", "{x: blue, y: blue}"),
    live,
    answers: {
      "core:ConfigMap::shop/a": failure("conflict", "Apply failed with 2 conflicts", [
        conflict(".data.x", "kubectl-client-side-apply"),
        conflict(".data.y", "painter"),
      ]),
    },
  });
  const problems = planned.ok ? [] : planned.problems;
  expect(problems.map(({ what }) => what)).toEqual([
    expect.stringContaining("data.y is owned by another field manager"),
  ]);
});

test("the suggested annotation resolves every conflict and keeps its existing paths", () => {
  const conflict = (field: string) => ({
    reason: "FieldManagerConflict",
    field,
    message: 'conflict with "painter" using v1',
  });
  const ignoring = `app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {vs.axis-dev.io/ignore-changes: metadata.labels.team}}, data: {b: "1", z: "1"}}`;
  check(
    {
      before: ignoring,
      declared: ignoring.replaceAll('"1"', '"2"'),
      answers: {
        "core:ConfigMap::shop/a": failure("conflict", "Apply failed with 2 conflicts", [
          conflict(".data.z"),
          conflict(".data.b"),
        ]),
      },
    },
    `
    ConfigMap shop/a: data.b is owned by another field manager
      owner: "painter"
      cluster: "1"
      manifest: "2"
      → Keep the live value: add data.b, data.z to the existing annotation vs.axis-dev.io/ignore-changes
        or remove data.b from the manifest
        or overwrite it with --takeover=painter, which takes all fields of painter in the declared objects and removes undeclared ones
    ConfigMap shop/a: data.z is owned by another field manager
      owner: "painter"
      cluster: "1"
      manifest: "2"
      → Keep the live value: add data.b, data.z to the existing annotation vs.axis-dev.io/ignore-changes
        or remove data.z from the manifest
        or overwrite it with --takeover=painter, which takes all fields of painter in the declared objects and removes undeclared ones
    `,
  );
});

test("a conflict in a container includes its name, because its path has only an index", () => {
  check(
    {
      before: pod("a"),
      declared: pod("a").replace("template", "paused: true, template"),
      answers: {
        "apps:Deployment::shop/web": failure("conflict", "Apply failed with 1 conflict", [
          {
            reason: "FieldManagerConflict",
            field: '.spec.template.spec.containers[name="web"].image',
            message: 'conflict with "kubectl-set" using apps/v1',
          },
        ]),
      },
    },
    `
    Deployment shop/web: spec.template.spec.containers[0].image is owned by another field manager
      container: web
      owner: "kubectl-set"
      cluster: (not set)
      manifest: (not set)
      → Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'spec.template.spec.containers[0].image'
        or remove spec.template.spec.containers[0].image from the manifest
        or overwrite it with --takeover=kubectl-set, which takes all fields of kubectl-set in the declared objects and removes undeclared ones
    `,
  );
});

test("a conflict about a Secret shows no value", () => {
  check(
    {
      before: `app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: old}}`,
      declared: `app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: new}}`,
      answers: {
        "core:Secret::shop/s": failure("conflict", "Apply failed", [
          {
            reason: "FieldManagerConflict",
            field: ".data.password",
            message: 'conflict with "helm" using v1',
          },
        ]),
      },
    },
    `
    Secret shop/s: data.password is owned by another field manager
      owner: "helm"
      → Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'data.password'
        or remove data.password from the manifest
        or overwrite it with --takeover=helm, which takes all fields of helm in the declared objects and removes undeclared ones
    `,
  );
});

test("each fix for an immutable Job shows its effect: the Job runs again", () => {
  const job = (image: string) =>
    `app/j: {apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: {containers: [{name: j, image: "${image}"}]}}}}`;
  check(
    {
      before: job("j:1"),
      declared: job("j:2"),
      answers: {
        "batch:Job::shop/j": failure("invalid", "Job is invalid", [
          {
            reason: "FieldValueInvalid",
            field: "spec.template",
            message: "Invalid value: {}: field is immutable",
          },
        ]),
      },
    },
    `
    Job shop/j: spec.template can't be changed
      answer: Invalid value: {}: field is immutable
      why: The Job hasn't finished: 0/1 completed, image j:1
      → Give the Job another name: qvs then runs it as a new Job
        or wait until it has finished: qvs then deletes the Job and runs it again
        or add the annotation vs.axis-dev.io/replace: "true", so that qvs deletes the Job and runs it again
    `,
  );
});

test("immutable fields are distinguished from invalid ones", () => {
  check(
    {
      before: config("a").replace("text", "was"),
      declared: config("a"),
      answers: {
        "core:ConfigMap::shop/a": failure("invalid", "ConfigMap is invalid", [
          {
            reason: "FieldValueForbidden",
            field: "data",
            message: "Forbidden: field is immutable when `immutable` is set",
          },
          {
            reason: "FieldValueInvalid",
            field: "data[x]",
            message: "Invalid value: a valid config key must consist of alphanumeric characters",
          },
        ]),
      },
    },
    `
    ConfigMap shop/a: data can't be changed
      answer: Forbidden: field is immutable when \`immutable\` is set
      → Give the object another name
        or add the annotation vs.axis-dev.io/replace: "true" if it can be absent for a moment
    ConfigMap shop/a: the API server rejects data[x]
      answer: Invalid value: a valid config key must consist of alphanumeric characters
      → Correct the value in the adapter or in the parameter that sets it
    `,
  );
});

test("a quota error suggests no role", () => {
  const message = 'configmaps "a" is forbidden: exceeded quota: small';
  check(
    { declared: config("a"), answers: { "core:ConfigMap::shop/a": failure("forbidden", message) } },
    `
    ConfigMap shop/a: the quota of the namespace is exceeded
      answer: configmaps "a" is forbidden: exceeded quota: small
      → Raise the quota of the namespace, or delete objects that are no longer needed
    `,
  );
});

test("a rejected dry-run blocks a deployment and makes a preview uncertain", () => {
  const answers = {
    "core:ConfigMap::shop/a": failure(
      "forbidden",
      'configmaps "a" is forbidden: User "viewer" cannot patch resource "configmaps"',
    ),
  };
  check(
    { declared: config("a"), answers },
    `
    ConfigMap shop/a: this identity lacks a permission
      answer: configmaps "a" is forbidden: User "viewer" cannot patch resource "configmaps"
      → Allow create and patch on ConfigMap of v1 in namespace shop to this identity
    `,
  );
  check(
    { declared: config("a"), answers, purpose: "preview" },
    `create ConfigMap shop/a (app, unchecked: configmaps "a" is forbidden: User "viewer" cannot patch resource "configmaps")`,
  );
});

test("a rejected Secret shows no value, in a deployment or in a preview", () => {
  const declared =
    "app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, data: {pin: 987654}}";
  const dump = ".data.pin: expected string, got &value.valueUnstructured{Value:987654}";
  check(
    { declared, answers: { "core:Secret::shop/s": failure("other", dump) } },
    `
    Secret shop/s: the API server rejects the object
      answer: a value has the wrong type (data.pin)
      → Run again. The API server gives no further information
    `,
  );
  const denied = 'admission webhook "a.example" denied the request: 987654 is weak';
  check(
    {
      declared,
      answers: { "core:Secret::shop/s": failure("forbidden", denied) },
      purpose: "preview",
    },
    `
    Secret shop/s: the API server denies the request
      answer: admission webhook "a.example" denied the request
      → Change the object as the message requires, or ask a cluster administrator to change the policy
    `,
  );
});

test("qvs skips the dry-run of objects whose namespace or kind this deployment creates", () => {
  check(
    {
      declared: `appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n${config("a")}`,
    },
    `
    create Namespace shop (appSetup, server)
    create ConfigMap shop/a (app, unchecked: Namespace shop is created by this deployment)
    `,
  );
});

test("qvs dry-runs objects that only depend on a new namespace or kind", () => {
  const definition =
    "{group: b.example, names: {kind: B, plural: bs}, versions: [{name: v1, served: true, storage: true}]}";
  const hook = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "w" },
  };
  check(
    {
      declared: `
app/ns: {apiVersion: v1, kind: Namespace, metadata: {name: other}}
app/crd: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: bs.b.example}, spec: ${definition}}
app/w: ${JSON.stringify(hook)}
app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {vs.axis-dev.io/dependsOn: "core:Namespace::other"}}}
`,
      answers: {
        "admissionregistration.k8s.io:ValidatingWebhookConfiguration::w": failure(
          "invalid",
          "webhooks[0].clientConfig: Required value",
        ),
      },
    },
    `
    ValidatingWebhookConfiguration w: the API server rejects the object
      answer: webhooks[0].clientConfig: Required value
      → Correct the manifest in the adapter, or the parameters of the adapter
    `,
  );
});

test("a dry-run that needs a new object of this deployment, or a webhook without dry-run support, is unchecked", () => {
  const declared = `
app/role: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}}
app/binding: {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {kind: Role, name: r}}
`;
  check(
    {
      declared: declared + config("a"),
      answers: {
        "rbac.authorization.k8s.io:RoleBinding::shop/b": failure(
          "not-found",
          'roles.rbac.authorization.k8s.io "r" not found',
        ),
        "core:ConfigMap::shop/a": failure("other", "admission webhook does not support dry run"),
      },
    },
    `
    create ConfigMap shop/a (app, unchecked: an admission webhook doesn't support dry runs)
    create Role shop/r (app, server)
    create RoleBinding shop/b (app, unchecked: it needs Role shop/r, which is created by this deployment)
    `,
  );
});

test("an object of another deployment or in deletion is never written", () => {
  const [a] = declare(config("a"));
  if (a === undefined) throw new Error("nothing declared");
  const theirs = applied(a, "bakery");
  const metadata = {
    ...theirs.metadata,
    labels: { "vs.axis-dev.io/deployment": "bakery" },
    deletionTimestamp: "2026-01-02T03:04:05Z",
    finalizers: ["acme.example/wait"],
  };
  check(
    {
      declared: config("a").replace("text", "new"),
      live: new Map([[a.key, { ...theirs, metadata }]]),
      answers: { [a.key]: failure("conflict", "Apply failed with 1 conflict") },
    },
    `
    ConfigMap shop/a belongs to the deployment bakery
      → Declare it in only one of the two deployments
        or remove the label vs.axis-dev.io/deployment from the live object to adopt it
    ConfigMap shop/a has been terminating since 2026-01-02T03:04:05Z
      finalizers: acme.example/wait
      → Wait until it is deleted, then run again
    `,
  );
});

test("qvs takes ownership of client-side apply fields", () => {
  const live = liveFrom(`
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: a, namespace: shop, uid: u, managedFields: [{manager: kubectl-client-side-apply, operation: Update, fieldsV1: {}}]}
  `);
  check(
    { declared: config("a"), live },
    `
    update ConfigMap shop/a (app, server)
    notice: ConfigMap shop/a: qvs takes ownership from kubectl-client-side-apply
    `,
  );
});

test("a plan keeps fields of ignore-changes and pins the resource version of the live value", () => {
  const ignoring = (x: string, y: string) =>
    config("a", "vs.axis-dev.io/ignore-changes: data.x").replace("{x: text}", `{x: ${x}, y: ${y}}`);
  check({ declared: ignoring("new", "new") }, `create ConfigMap shop/a (app, server)`);
  check(
    { before: ignoring("old", "same"), declared: ignoring("new", "same") },
    `unchanged ConfigMap shop/a (app, comparison)`,
  );
  const plan = planOf({ before: ignoring("old", "old"), declared: ignoring("new", "new") });
  const [change] = plan.ok ? plan.value.changes : [];
  expect([change?.action, change?.desired.data, change?.desired.metadata.resourceVersion]).toEqual([
    "update",
    { x: "old", y: "new" },
    "7",
  ]);
});

test("ignored paths that match nothing are reported in the plan", () => {
  const typo = config("a", "vs.axis-dev.io/ignore-changes: data.z");
  check(
    { before: typo, declared: typo },
    `
    unchanged ConfigMap shop/a (app, comparison)
    notice: ConfigMap shop/a: data.z in the annotation vs.axis-dev.io/ignore-changes matches nothing
    `,
  );
});

test("dependencies outside the deployment are part of the plan", () => {
  check(
    {
      declared: config("a", 'vs.axis-dev.io/dependsOn: "apps:Deployment::infra/db"'),
      live: liveFrom(
        `[{apiVersion: apps/v1, kind: Deployment, metadata: {name: db, namespace: infra}}]`,
      ),
    },
    `
    create ConfigMap shop/a (app, server)
    await Deployment infra/db
    `,
  );
});

test("the digest depends on the operations, not on the live state, and contains no Secret's value", () => {
  const secret = (value: string) =>
    `app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: ${value}}}`;
  const digest = (situation: Situation) => {
    const plan = planOf(situation);
    return plan.ok ? plan.value.digest : "";
  };
  const one = { before: secret("old"), declared: secret("hunter2") };
  expect(digest(one)).not.toContain(btoa("hunter2"));
  expect(digest(one)).toContain('"password":"(changed)"');
  expect(digest({ before: config("a"), declared: config("b") })).toContain(
    '{"action":"delete","key":"core:ConfigMap::shop/a","stage":"app","uid":"uid of core:ConfigMap::shop/a"}',
  );
  const noisy = new Map(
    [...appliedFrom(secret("old"))].map(([key, object]) => [
      key,
      { ...object, metadata: { ...object.metadata, resourceVersion: "99" } },
    ]),
  );
  expect(digest({ ...one, live: noisy })).toBe(digest(one));
});

test("the digest includes the removal of a default", () => {
  const plan = planOf({ before: config("a", "x: old"), declared: config("a", "x: new") });
  const changes = plan.ok ? plan.value.changes : [];
  const removal: Step = {
    type: "remove-default",
    path: ["spec", "strategy"],
    value: {},
    removes: "spec.strategy.rollingUpdate",
  };
  const digest = (extra: object) =>
    canonicalOperations(
      "shop-test",
      changes.map((change) => ({ ...change, ...extra })),
      [],
    );
  expect(digest({ steps: [removal, { type: "apply" }] })).toContain(
    '"removesDefault":"spec.strategy.rollingUpdate"',
  );
  expect(digest({})).not.toContain("removesDefault");
});

test("the digests include the answers of the cluster that charts asked for", () => {
  const plan = planOf({ before: config("a", "x: old"), declared: config("a", "x: new") });
  const changes = plan.ok ? plan.value.changes : [];
  const digests = (answer?: string) => {
    const capabilities =
      answer === undefined ? undefined : [{ question: "a.example/v1/Thing", answer }];
    const whole = canonicalOperations("shop-test", changes, [], { capabilities });
    const hash = (text: string) => text;
    const [operation] = digestOperations("shop-test", changes, [], { hash, capabilities });
    return [whole, operation?.digest];
  };
  const [absent, operation] = digests("absent");
  expect(absent).toContain('{"answer":"absent","question":"a.example/v1/Thing"}');
  // An approval of one operation covers no operation with other answers.
  expect(operation).toContain('{"answer":"absent","question":"a.example/v1/Thing"}');
  expect(digests("served")).not.toContain(absent);
  // A plan without a chart keeps the digest of earlier versions.
  expect(digests()[0]).toBe(canonicalOperations("shop-test", changes, []));
});

test("no digest and no answer in the plan contains a secret that a chart asked for", () => {
  const capabilities = [{ question: "hunter2.example/v1", answer: "absent" }];
  const plan = planOf({
    ...{ before: config("a", "x: old"), declared: config("a", "x: new") },
    ...{ capabilities, hides: ["hunter2"], hash: (text) => text },
  });
  const text = JSON.stringify(plan);
  expect(text).toContain("example/v1");
  expect(JSON.stringify([plan.ok && plan.value.capabilities])).not.toContain("hunter2");
  expect(plan.ok && plan.value.digest).not.toContain("hunter2");
});
