import { expect, test } from "vitest";
import { parse } from "yaml";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import {
  type AutoscalerState,
  autoscalerFinder,
  findControllerOwnedFields,
} from "../../../../src/plan/ownership/controller-owned-fields.ts";
import { fieldOwners } from "../../../../src/ssa/managed-fields.ts";

const web = (manager: string, subresource: string, field = "replicas", replicas = 3): KubeObject =>
  parse(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  managedFields:
    - manager: ${manager}
      operation: Update
      subresource: "${subresource}"
      fieldsV1: {"f:spec": {"f:${field}": {}}}
spec: {${field}: ${replicas}}
`);

const fieldsIn = (object: KubeObject) => fieldOwners(object).map(({ fields }) => fields);

const scaler = (target: string, label = "bakery"): KubeObject =>
  parse(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: scaler
  namespace: shop
  labels: {vs.axis-dev.io/deployment: ${label}}
  managedFields: [{manager: qvs-${label}-app, operation: Apply, fieldsV1: {}}]
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${target}}}
`);

interface Case {
  readonly name: string;
  readonly owner: readonly [manager: string, subresource: string];
  readonly declared?: readonly KubeObject[];
  readonly live?: readonly KubeObject[];
  readonly isLeft: boolean;
}

const itself = ["kube-controller-manager", "scale"] as const;
const byHand = ["kubectl", "scale"] as const;

test.each<Case>([
  { name: "a value of another deployment's autoscaler is left to it", owner: itself, isLeft: true },
  {
    name: "a manually set number under a new autoscaler is left to it",
    owner: byHand,
    declared: [scaler("web")],
    isLeft: true,
  },
  {
    name: "a manually set number under an outside autoscaler is left to it",
    owner: byHand,
    live: [scaler("web")],
    isLeft: true,
  },
  { name: "without an autoscaler, it is a conflict", owner: byHand, isLeft: false },
  {
    name: "an autoscaler of another object doesn't count",
    owner: byHand,
    declared: [scaler("api")],
    isLeft: false,
  },
  {
    name: "an autoscaler that this deployment deletes owns nothing",
    owner: itself,
    live: [scaler("web", "shop-test")],
    isLeft: false,
  },
  {
    name: "unless another autoscaler replaces it",
    owner: itself,
    declared: [{ ...scaler("web"), metadata: { name: "new", namespace: "shop" } }],
    live: [scaler("web", "shop-test")],
    isLeft: true,
  },
  {
    name: "a manager that edits the object itself isn't an autoscaler",
    owner: ["kubectl-edit", ""],
    declared: [scaler("web")],
    isLeft: false,
  },
])("$name", ({ owner, declared = [], live = [], isLeft }) => {
  const object = web(...owner);
  const autoscaler = autoscalerFinder(
    { deployment: "shop-test", namespace: "shop" },
    declared,
    live,
  )(keyOf(idOf(object)));
  const paths = findControllerOwnedFields(object, autoscaler, fieldsIn(object)).map(
    ({ path }) => path.text,
  );
  expect(paths).toEqual(isLeft ? ["spec.replicas"] : []);
});

test("qvs leaves a replica field to the autoscaler, whatever its name in the kind", () => {
  const crew = web("kube-controller-manager", "scale", "workers");
  const paths = findControllerOwnedFields(crew, "stays", fieldsIn(crew)).map(
    ({ path }) => path.text,
  );
  expect(paths).toEqual(["spec.workers"]);
});

const ofKind = (kind: string, spec: string): KubeObject =>
  parse(
    `{apiVersion: scale.example.com/v1, kind: ${kind}, metadata: {name: s, namespace: shop}, spec: ${spec}}`,
  );

test.each<readonly [spec: string, autoscaler: AutoscalerState]>([
  ["{scaleTargetRef: {name: web}}", "scales to zero"],
  ["{scaleTargetRef: {name: web}, minReplicaCount: 1}", "stays"],
  ["{scaleTargetRef: {name: web}, minReplicaCount: 1, idleReplicaCount: 0}", "scales to zero"],
  ["{scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: web}}", "unknown"],
  ["{scaleTargetRef: {apiVersion: apps/v1beta1, kind: Deployment, name: web}}", "scales to zero"],
  ["{scaleTargetRef: web}", "unknown"],
  ["{targetRef: {kind: Deployment, name: web}}", "unknown"],
])("a scaler of any kind with %s: %s", (spec, autoscaler) => {
  const object = web("kubectl", "scale");
  const owner = { deployment: "shop-test", namespace: "shop" };
  expect(autoscalerFinder(owner, [ofKind("Any", spec)], [])(keyOf(idOf(object)))).toBe(autoscaler);
});

test("a scaler that scales to zero takes precedence over another scaler", () => {
  const all = [ofKind("Any", "{scaleTargetRef: {name: web}}"), scaler("web")];
  const owner = { deployment: "shop-test", namespace: "shop" };
  const key = keyOf(idOf(web("kubectl", "scale")));
  expect(autoscalerFinder(owner, all, [])(key)).toBe("scales to zero");
  expect(autoscalerFinder(owner, all.toReversed(), [])(key)).toBe("scales to zero");
});

test.each<readonly [name: string, autoscaler: AutoscalerState, replicas: number, isLeft: boolean]>([
  ["is the starting point of an autoscaler", "stays", 3, true],
  ["is left to the scaler at 0, if it scales to zero", "scales to zero", 0, true],
  ["follows the manifest at 0 if no autoscaler acts", "stays", 0, false],
  ["follows the manifest if the autoscaler is deleted", "goes", 3, false],
  ["follows the manifest if no autoscaler is known", "unknown", 3, false],
])("a replica count that qvs has set %s", (_, autoscaler, replicas, isLeft) => {
  const live = web("qvs-bakery-app", "", "replicas", replicas);
  const paths = findControllerOwnedFields(live, autoscaler, []).map(({ path }) => path.text);
  expect(paths).toEqual(isLeft ? ["spec.replicas"] : []);
});
