import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";
import { readDependencies } from "../../../src/planning/facts/read-facts.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { missingDependency } from "../../../src/preflight/rules/missing-dependency.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";
import { changeOf, plannedOf } from "./rollout-plan.ts";

/** Returns the findings about missing dependencies of the changed objects. */
async function missingDependencies(
  changes: readonly Change[],
  there: readonly string[] = [],
  server: Partial<Cluster> = {},
): Promise<string> {
  const plan = { deployment: "shop", namespace: "shop", changes, deletions: [], kept: [] };
  const objects = there.map((each) => parse(each) as KubeObject);
  const whole = { ...plan, notices: [], digest: "" };
  const dependencies = await readDependencies({ ...fakeCluster(objects), ...server }, whole, 2);
  const facts = { dependencies, upstreamChanges: [] };
  return missingDependency({ plan: whole, facts, placeOf: () => undefined })
    .map(({ severity, what, path = [] }) => `${severity} ${path.join(".")}: ${what}`)
    .join("\n");
}

const object = (yaml: string) => changeOf(parse(yaml) as JsonObject);
const claim = (spec: string) =>
  object(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {${spec}}}`);
const ingress = (spec: string) =>
  object(
    `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: front}, spec: {${spec}}}`,
  );
const token = (account: string) =>
  object(
    `{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: token, annotations: {kubernetes.io/service-account.name: ${account}}}}`,
  );
const rollout = (strategy: string, more = "") =>
  object(
    `{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: web}, spec: {${more}strategy: {${strategy}}}}`,
  );
const scaler = (apiVersion: string, kind: string) =>
  object(
    `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {scaleTargetRef: {apiVersion: ${apiVersion}, kind: ${kind}, name: web}}}`,
  );
const fast = "storageClassName: fast";
const volume = (of: string) =>
  `{apiVersion: v1, kind: PersistentVolume, metadata: {name: one, namespace: ""}, spec: {storageClassName: ${of}}}`;
const toWeb =
  "rules: [{http: {paths: [{backend: {service: {name: web}}}, {backend: {service: {name: web}}}]}}]";
const service = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}}";
const webhookName = "ValidatingWebhookConfiguration a";
const webhook = (policy: string) =>
  object(
    `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a, namespace: ''}, webhooks: [{failurePolicy: ${policy}, clientConfig: {service: {name: web, namespace: shop}}}]}`,
  );
const neededBy = (severity: string, place: string, name: string) =>
  `${severity} ${place}.clientConfig.service.name: ${name} needs Service shop/web, ${missing}`;
const missing = "which doesn't exist";
const noClass = `error spec.storageClassName: PersistentVolumeClaim shop/data needs StorageClass fast, ${missing}`;

test.each([
  ["a missing class", claim(fast), [], noClass],
  ["a class that only another volume has", claim(fast), [volume("slow")], noClass],
  ["a class that a volume has", claim(fast), [volume("fast")], ""],
  [
    "an existing class",
    claim(fast),
    ["{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, namespace: ''}}"],
    "",
  ],
  ["the default class", claim(""), [], ""],
  ["no class", claim('storageClassName: ""'), [], ""],
  [
    "a missing volume",
    claim(`${fast}, volumeName: one`),
    [],
    `error spec.volumeName: PersistentVolumeClaim shop/data needs PersistentVolume one, ${missing}`,
  ],
  ["an existing volume", claim(`${fast}, volumeName: one`), [volume("fast")], ""],
  [
    "a missing IngressClass",
    ingress("ingressClassName: nginx"),
    [],
    `warning spec.ingressClassName: Ingress shop/front needs IngressClass nginx, ${missing}`,
  ],
  [
    "an existing class of Ingresses",
    ingress("ingressClassName: nginx"),
    [
      "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx, namespace: ''}}",
    ],
    "",
  ],
  ["no class of Ingresses", ingress(""), [], ""],
  [
    "a missing backend",
    ingress("defaultBackend: {service: {name: web}}"),
    [],
    `warning spec.defaultBackend.service.name: Ingress shop/front needs Service shop/web, ${missing}`,
  ],
  ["an existing backend", ingress(`${toWeb}`), [service], ""],
  [
    "a backend of two paths",
    ingress(toWeb),
    [],
    `warning spec.rules.0.http.paths.0.backend.service.name: Ingress shop/front needs Service shop/web, ${missing}`,
  ],
  [
    "an annotation in place of a Service",
    ingress("defaultBackend: {service: {name: redirect, port: {name: use-annotation}}}"),
    [],
    "",
  ],
  [
    "an object that an operator scales",
    object(
      "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {scaleTargetRef: {apiVersion: a.example/v1, kind: Pool, name: web}}}",
    ),
    [],
    "",
  ],
  [
    "a role",
    object(
      "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {kind: Role, name: web}}",
    ),
    [],
    `warning roleRef.name: RoleBinding shop/a needs Role shop/web, ${missing}`,
  ],
  [
    "a policy",
    object(
      "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: a, namespace: ''}, spec: {policyName: teams}}",
    ),
    [],
    `warning spec.policyName: MutatingAdmissionPolicyBinding a needs MutatingAdmissionPolicy teams, ${missing}`,
  ],
  ["a webhook's Service", webhook("Fail"), [], neededBy("warning", "webhooks.0", webhookName)],
  ["the Service of a webhook that fails open", webhook("Ignore"), [], ""],
  [
    "the Service of an APIService",
    object(
      "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.a, namespace: ''}, spec: {service: {name: web, namespace: shop}}}",
    ),
    [],
    `error spec.service.name: APIService v1.a needs Service shop/web, ${missing}`,
  ],
  [
    "the objects that a route names",
    object(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: a}, spec: {parentRefs: [{name: edge, namespace: infra}], rules: [{backendRefs: [{name: web}, {name: x, kind: Bucket}]}]}}",
    ),
    [],
    `warning spec.rules.0.backendRefs.0.name: HTTPRoute shop/a needs Service shop/web, ${missing}
warning spec.parentRefs.0.name: HTTPRoute shop/a needs Gateway infra/edge, ${missing}`,
  ],
  [
    "the token of a missing ServiceAccount",
    token("gone"),
    [],
    `error metadata.annotations.kubernetes.io/service-account.name: Secret shop/token needs ServiceAccount shop/gone, ${missing}`,
  ],
  [
    "the token of an existing ServiceAccount",
    token("robot"),
    ["{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop}}"],
    "",
  ],
  ["the token of the ServiceAccount that every namespace has", token("default"), [], ""],
  [
    "a missing Service of a Rollout",
    rollout("blueGreen: {activeService: live, previewService: next}"),
    ["{apiVersion: v1, kind: Service, metadata: {name: live, namespace: shop}}"],
    `error spec.strategy.blueGreen.previewService: Rollout shop/web needs Service shop/next, ${missing}`,
  ],
  [
    "a missing analysis template",
    rollout(
      "canary: {steps: [{setWeight: 20}, {analysis: {templates: [{templateName: ok}, {templateName: all, clusterScope: true}]}}]}",
    ),
    [
      "{apiVersion: argoproj.io/v1alpha1, kind: AnalysisTemplate, metadata: {name: ok, namespace: shop}}",
    ],
    `error spec.strategy.canary.steps.1.analysis.templates.1.templateName: Rollout shop/web needs ClusterAnalysisTemplate all, ${missing}`,
  ],
  [
    "a Service of a paused Rollout",
    rollout("canary: {stableService: live}", "paused: true, "),
    [],
    `warning spec.strategy.canary.stableService: Rollout shop/web needs Service shop/live, ${missing}`,
  ],
  [
    "a missing scale target",
    scaler("apps/v1", "Deployment"),
    [],
    `warning spec.scaleTargetRef.name: HorizontalPodAutoscaler shop/web needs Deployment shop/web, ${missing}`,
  ],
  [
    "an existing scale target",
    scaler("apps/v1", "Deployment"),
    ["{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}}"],
    "",
  ],
])("%s", async (_, change, there, expected) => {
  expect(await missingDependencies([change], there)).toBe(expected);
});

test("objects that the deployment creates aren't missing", async () => {
  const made = (kind: string, fields: JsonObject) =>
    plannedOf({ apiVersion: "storage.k8s.io/v1", kind, ...fields });
  const ofClass = claim("storageClassName: own");
  expect(await missingDependencies([ofClass, made("StorageClass", {})])).toBe("");
  const byHand = { apiVersion: "v1", spec: { storageClassName: "own" } };
  expect(await missingDependencies([ofClass, made("PersistentVolume", byHand)])).toBe("");
});

test("an unchanged missing dependency isn't reported again", async () => {
  expect(await missingDependencies([{ ...claim(fast), action: "unchanged" }])).toBe("");
});

test("an operator might create the scale target from a custom resource of the deployment", async () => {
  const custom = object("{apiVersion: db.example.com/v1, kind: Database, metadata: {name: web}}");
  expect(await missingDependencies([scaler("apps/v1", "StatefulSet"), custom])).toBe("");
  const own = rollout("canary: {}");
  expect(await missingDependencies([scaler("apps/v1", "StatefulSet"), own])).not.toBe("");
});

test("an unchanged missing reference is reported again only if its object is recreated", async () => {
  const before = ingress("defaultBackend: {service: {name: web}}");
  const live = before.desired;
  expect(await missingDependencies([{ ...before, live, action: "update" }])).toBe("");
  expect(await missingDependencies([{ ...before, live, action: "replace" }])).toContain(
    "needs Service shop/web",
  );
});

test("an operator might create the Service from a custom resource of the deployment", async () => {
  const custom = object(
    "{apiVersion: search.example.org/v1, kind: Engine, metadata: {name: web}, spec: {}}",
  );
  expect(await missingDependencies([ingress(toWeb), custom])).toBe("");
});

test("a missing class is a warning if a custom resource of the deployment might create it", async () => {
  const custom = object(
    "{apiVersion: storage.example.org/v1, kind: Pool, metadata: {name: fast}, spec: {}}",
  );
  expect(await missingDependencies([claim(fast), custom])).toBe(
    noClass.replace("error", "warning"),
  );
});

test("objects that can't be read aren't reported", async () => {
  const no = async () => refused("forbidden", 403, "no");
  expect(await missingDependencies([claim(fast)], [], { read: no })).toBe("");
  expect(await missingDependencies([claim(fast)], [], { list: no })).toBe("");
});
