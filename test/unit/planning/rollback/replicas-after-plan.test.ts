import { expect, test } from "vitest";
import { at } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { addressOf } from "../../../../src/model/object.ts";
import { clusterAfterPlan } from "../../../../src/planning/rollback/cluster-after-plan.ts";
import {
  conflictsAfterScaling,
  deletesScaler,
  type ScaledReplicas,
} from "../../../../src/planning/rollback/replicas-after-plan.ts";
import { fieldOwners } from "../../../../src/ssa/managed-fields.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import {
  changeBetween,
  deletionOf,
  objectFrom,
  ownedBy,
  planWith,
} from "../../../support/plan/change-between.ts";

const deployment = "apiVersion: apps/v1, kind: Deployment";
const rollout = "apiVersion: argoproj.io/v1alpha1, kind: Rollout";
const web = (replicas: number | undefined, type = deployment, image = "web:1") =>
  objectFrom(`{
${type},
metadata: {namespace: shop, name: web},
spec: {${replicas === undefined ? "" : `replicas: ${replicas}, `}image: "${image}"}
}`);
const hpa = (bounds: string, target = deployment) =>
  objectFrom(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {namespace: shop, name: web}
spec: {${bounds}, scaleTargetRef: {${target}, name: web}}`);
const scaledObject = (bounds: string, annotations = "{}") =>
  objectFrom(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {namespace: shop, name: web, annotations: ${annotations}}
spec: {${bounds}, scaleTargetRef: {name: web}}`);
const other = objectFrom(`
apiVersion: example.com/v1
kind: Scaler
metadata: {namespace: shop, name: web}
spec: {minReplicas: 5, scaleTargetRef: {name: web}}`);

/** Plans a new scaler for an object that stays as it is, and returns the cluster afterwards. */
function afterAdding(scaler: KubeObject, live: KubeObject, scaling?: ScaledReplicas) {
  const plan = planWith({
    changes: [
      changeBetween(live, live, { action: "unchanged" }),
      changeBetween(undefined, scaler, { action: "create" }),
    ],
  });
  return clusterAfterPlan(fakeCluster([live]), plan, scaling);
}

async function answerTo(cluster: ReturnType<typeof afterAdding>, object: KubeObject) {
  const options = { fieldManager: "qvs-shop-app", dryRun: true, force: false };
  const answer = await cluster.apply(object, options);
  return answer.ok
    ? "applied"
    : answer.failure.causes.map(({ field, message }) => [field, message]);
}

const conflict = [
  [".spec.replicas", 'conflict with "kube-controller-manager" with subresource "scale"'],
];

test.for<[string, KubeObject, KubeObject, unknown, unknown]>([
  ["fewer than the minimum", hpa("minReplicas: 2, maxReplicas: 5"), web(1), conflict, conflict],
  ["more than the maximum", hpa("maxReplicas: 2"), web(3), conflict, conflict],
  ["within the bounds", hpa("minReplicas: 1, maxReplicas: 5"), web(3), "applied", conflict],
  ["equal bounds", hpa("minReplicas: 3, maxReplicas: 3"), web(3), "applied", "applied"],
  [
    "zero, which a minimum leaves alone",
    hpa("minReplicas: 2, maxReplicas: 5"),
    web(0),
    "applied",
    "applied",
  ],
  ["a scaler of KEDA", scaledObject("minReplicaCount: 2"), web(1), conflict, conflict],
  [
    "a scaler of KEDA that scales to zero",
    scaledObject("maxReplicaCount: 2"),
    web(3),
    "applied",
    conflict,
  ],
  [
    "a paused scaler of KEDA",
    scaledObject("minReplicaCount: 2", '{autoscaling.keda.sh/paused: "true"}'),
    web(1),
    "applied",
    conflict,
  ],
  ["an unknown kind of scaler", other, web(1), "applied", conflict],
  [
    "a Rollout",
    hpa("minReplicas: 2, maxReplicas: 5", rollout),
    web(1, rollout),
    conflict,
    conflict,
  ],
  ["another object", hpa("minReplicas: 2, maxReplicas: 5"), web(1, rollout), "applied", "applied"],
])("%s", async ([, scaler, live, certain, possible]) => {
  const again = { ...live };
  expect(await answerTo(afterAdding(scaler, live), again)).toEqual(certain);
  expect(await answerTo(afterAdding(scaler, live, "another number"), again)).toEqual(possible);
});

test("the scaler takes the number from this deployment and from another tool", async () => {
  const live = ownedBy(web(1), "kubectl", '{"f:spec":{"f:replicas":{}}}');
  const answer = await afterAdding(hpa("minReplicas: 2, maxReplicas: 5"), live).read(
    addressOf(live),
  );
  const object = answer.ok ? answer.value : undefined;
  const owners = object === undefined ? [] : fieldOwners(object);
  const owning = owners.filter(({ fields }) => at(fields, "f:spec", "f:replicas") !== undefined);
  expect(at(object, "spec", "replicas")).toBe(2);
  expect(owning).toMatchObject([{ manager: "kube-controller-manager", subresource: "scale" }]);
});

test("a rollback without a number keeps that of the scaler", async () => {
  const [before, after] = [web(1), web(undefined, deployment, "web:2")];
  const plan = planWith({
    changes: [
      changeBetween(before, after, { predicted: web(1, deployment, "web:2") }),
      changeBetween(undefined, hpa("minReplicas: 2, maxReplicas: 5"), { action: "create" }),
    ],
  });
  const cluster = clusterAfterPlan(fakeCluster([before]), plan);
  const options = { fieldManager: "qvs-shop-app", dryRun: true, force: false };
  const answer = await cluster.apply(web(undefined), options);
  expect(answer.ok && at(answer.value, "spec")).toEqual({ replicas: 2, image: "web:1" });
});

test("only a deleted scaler of a remaining object can cause a conflict", () => {
  const scaler = hpa("maxReplicas: 2");
  const kept = changeBetween(web(1), web(1), { action: "unchanged" });
  const isDeleted = (changes: readonly (typeof kept)[], deleted: readonly KubeObject[]) =>
    deletesScaler(planWith({ changes, deletions: deleted.map((each) => deletionOf(each)) }));
  expect(isDeleted([kept], [scaler])).toBe(true);
  expect(isDeleted([], [scaler, web(1)])).toBe(false);
  expect(isDeleted([kept], [])).toBe(false);
});

test("only conflicts that scaling causes become notes", () => {
  const plan = planWith({ changes: [changeBetween(web(1), web(1), { action: "unchanged" })] });
  const problem = (what: string) => ({
    ...({ code: "field-conflict", subjects: ["Deployment shop/web"], what } as const),
    ...{ fix: "", where: [], inputs: ["conflicts: force"] },
  });
  const [colour, replicas] = [problem("colour"), problem("spec.replicas")];
  expect(conflictsAfterScaling([colour], [colour], plan)).toEqual([]);
  expect(conflictsAfterScaling([colour, replicas], [colour], plan)).toMatchObject([
    {
      object: addressOf(web(1)),
      what: "Deployment shop/web needs conflicts: force if its autoscaler has set another number of replicas by then",
    },
  ]);
});
