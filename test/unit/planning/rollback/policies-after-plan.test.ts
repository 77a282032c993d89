import { expect, test } from "vitest";
import { policiesAfterPlan } from "../../../../src/planning/rollback/policies-after-plan.ts";
import { changeBetween, objectFrom, planWith } from "../../../support/plan/change-between.ts";

const config = (value: string) =>
  objectFrom(
    `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a}, data: {value: "${value}"}}`,
  );
const web = objectFrom(`
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec: {template: {spec: {containers: [{name: web, image: "acme/web:1"}]}}}`);
const limits = objectFrom(
  "{apiVersion: v1, kind: LimitRange, metadata: {namespace: shop, name: most}, spec: {limits: [{type: Container}]}}",
);
const quota = objectFrom(
  "{apiVersion: v1, kind: ResourceQuota, metadata: {namespace: shop, name: most}, spec: {hard: {configmaps: 1}}}",
);
const policy = (resource: string, expression: string) => [
  objectFrom(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: deny}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [${resource}]}
  validations: [{expression: "${expression}"}]`),
  objectFrom(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: deny}
spec: {policyName: deny, validationActions: [Deny]}`),
];
const webhook = objectFrom(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://a.example.com"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]`);

const back = (object: ReturnType<typeof config>, live = object) =>
  planWith({
    changes: [changeBetween(live, object, { predicted: object, certainty: { by: "server" } })],
  });
const creating = (...objects: readonly ReturnType<typeof config>[]) =>
  planWith({ changes: objects.map((each) => changeBetween(undefined, each)) });

function effects(...given: Parameters<typeof policiesAfterPlan>) {
  const { denied, undecided } = policiesAfterPlan(...given);
  return { denied: denied.map(({ what }) => what), undecided: undecided.map(({ what }) => what) };
}

test("a new policy that denies the current release blocks the rollback", () => {
  const plan = creating(...policy("configmaps", "object.data.value != '1'"));
  expect(effects(plan, back(config("1")))).toEqual({
    denied: ["ConfigMap shop/a would be rejected by ValidatingAdmissionPolicyBinding deny"],
    undecided: [],
  });
  expect(effects(plan, back(config("2")))).toEqual({ denied: [], undecided: [] });
});

test("a policy about other kinds has no effect", () => {
  const plan = creating(...policy("services", "false"));
  expect(effects(plan, back(config("1")))).toEqual({ denied: [], undecided: [] });
});

test("a policy about Secrets decides about the record of the rollback", () => {
  const plan = creating(...policy("secrets", "false"));
  expect(effects(plan, back(config("1")))).toEqual({
    denied: [],
    undecided: ["ValidatingAdmissionPolicyBinding deny decides about Secret shop/qvs.shop"],
  });
});

test("a new webhook about restored objects is undecided", () => {
  expect(effects(creating(webhook), back(config("1")))).toEqual({
    denied: [],
    undecided: ["ValidatingWebhookConfiguration hook decides about ConfigMap shop/a"],
  });
  expect(effects(creating(webhook), back(web)).undecided).toEqual([]);
});

test("a new LimitRange decides about Pods, and a quota also about new objects", () => {
  expect(effects(creating(limits), back(web)).undecided).toEqual([
    "LimitRange shop/most decides about Deployment shop/web",
  ]);
  expect(effects(creating(limits), back(config("1"))).undecided).toEqual([]);
  expect(effects(creating(quota), back(config("1"))).undecided).toEqual([]);
  expect(effects(creating(quota), creating(config("1"))).undecided).toHaveLength(1);
});

test("a changed LimitRange that the rollback restores first has no effect", () => {
  const after = { ...limits, spec: { limits: [] } };
  const plan = planWith({ changes: [changeBetween(limits, after, { predicted: after })] });
  const undo = planWith({
    changes: [changeBetween(after, limits, { predicted: limits }), ...back(web).changes],
  });
  expect(effects(plan, undo).undecided).toEqual([]);
  expect(effects(plan, back(web)).undecided, "not restored").toHaveLength(1);
});

test("a changed parameter of an unchanged policy counts", () => {
  const [rule, bound] = policy("configmaps", "object.data.value != params.data.value").map(
    (each) => ({
      ...each,
      spec: {
        ...(each.spec as object),
        ...(each.kind.endsWith("Binding")
          ? { paramRef: { name: "params", namespace: "shop" } }
          : { paramKind: { apiVersion: "v1", kind: "ConfigMap" } }),
      },
    }),
  );
  const params = { ...config("1"), metadata: { namespace: "shop", name: "params" } };
  const unchanged = [rule, bound].map((each) =>
    changeBetween(each, each as never, { action: "unchanged", steps: [], predicted: each }),
  );
  const former = { ...config("0"), metadata: params.metadata };
  const changed = changeBetween(former, params, { predicted: params });
  const plan = planWith({ changes: [...unchanged, changed] });
  const undoing = (stage: "app" | "appSetup") =>
    planWith({
      changes: [
        changeBetween(params, former, { stage, predicted: former, certainty: { by: "server" } }),
        ...back(config("1")).changes,
      ],
    });
  expect(effects(plan, undoing("app")), "restored last in the same stage").toEqual({
    denied: ["ConfigMap shop/a would be rejected by ConfigMap shop/params"],
    undecided: [],
  });
  expect(effects(plan, undoing("appSetup")), "restored before").toEqual({
    denied: [],
    undecided: ["ConfigMap shop/params decides about ConfigMap shop/a"],
  });
});

test("an APIService decides about the objects of its group", () => {
  const service = objectFrom(
    "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.apps}, spec: {group: apps}}",
  );
  expect(effects(creating(service), back(web)).undecided).toHaveLength(1);
  expect(effects(creating(service), back(config("1"))).undecided).toEqual([]);
});

test("a stricter Pod Security level that stays decides about Pods", () => {
  const namespace = (level: string) =>
    objectFrom(
      `{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: ${level}}}}`,
    );
  const [before, after] = [namespace("privileged"), namespace("restricted")];
  const plan = planWith({ changes: [changeBetween(before, after, { predicted: after })] });
  expect(effects(plan, back(web)).undecided).toHaveLength(1);
  const same = planWith({ changes: [changeBetween(before, before, { predicted: before })] });
  expect(effects(same, back(web)).undecided).toEqual([]);
});
