import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { combineUpstreamPlans } from "../../../src/model/deployments/other-deployments.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { readFacts } from "../../../src/planning/predict.ts";
import { projectedCluster } from "../../../src/planning/projected-cluster.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { computeFindings } from "../../../src/preflight/compute-findings.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";
import { planOf, requirePlan, type Situation } from "../../support/plan/plan-text.ts";

/**
 * Tests predictions about an application after changes of a platform that is deployed first. They
 * are the same as for one plan with both.
 */
const node = parse(
  '{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: "32", memory: 64Gi, pods: "110"}}}',
) as KubeObject;

const image = `image: "web@sha256:${"a".repeat(64)}"`;

const web = (container: string, replicas = 1, name = "web", pod = "") => `
app/${name}:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: ${name}}
  spec:
    replicas: ${replicas}
    selector: {matchLabels: {app: ${name}}}
    template: {metadata: {labels: {app: ${name}}}, spec: {${pod}containers: [{name: web, ${image}, ${container}}]}}
`;

const small = "resources: {requests: {cpu: 100m}}";
const stays = "app/stays: {apiVersion: v1, kind: ConfigMap, metadata: {name: stays}}\n";
const quota = (pods: number) =>
  `app/quota: {apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: "${pods}"}}}\n`;

/** Creates a cluster with these objects, which answers dry-runs of Pods with `pods`. */
function server(objects: readonly KubeObject[] = [], pods?: ReturnType<typeof refused>): Cluster {
  return {
    ...fakeCluster([node, ...objects]),
    preferredKind: async () => refused("unknown-kind", 404, "none"),
    create: async (object) =>
      pods !== undefined && object.kind === "Pod" ? pods : { ok: true, value: object },
  };
}

function after(...plans: readonly Plan[]) {
  return combineUpstreamPlans(plans.map((plan, i) => ({ deployment: `platform-${i + 1}`, plan })));
}

async function findingsAfter(
  now: Cluster,
  platforms: Plan | readonly Plan[] | undefined,
  application: Plan,
) {
  const earlier = after(...[platforms ?? []].flat());
  const facts = await readFacts(
    { cluster: projectedCluster(now, earlier), concurrency: 4, now: "2026-01-01T00:00:00Z" },
    application,
    earlier,
  );
  const releases = { declared: new Set<string>() };
  const input = { plan: application, facts, releases, placeOf: () => undefined };
  return computeFindings(input).map(({ severity, code }) => `${severity} ${code}`);
}

describe("a quota", () => {
  test.each([
    [2, 10, []],
    [10, 2, ["error quota-exceeded"]],
  ])("that the platform changes from %d to %d Pods has its new limit", async (old, next, found) => {
    const spec = { hard: { pods: String(next) } };
    const status = { hard: { pods: String(old) }, used: { pods: "0" } };
    const live = {
      ...{ apiVersion: "v1", kind: "ResourceQuota", status },
      metadata: { name: "quota", namespace: "shop", uid: "1" },
    };
    const key = "core:ResourceQuota::shop/quota";
    const platform = requirePlan({
      ...{ before: quota(old), declared: quota(next), live: new Map([[key, live]]) },
      answers: { [key]: { ok: true, value: { ...live, spec } } },
    });
    const application = requirePlan({ declared: web(small, 5) });
    expect(await findingsAfter(server([live]), platform, application)).toEqual(found);
  });

  test("that the platform creates counts the Pods of the platform too", async () => {
    const own = quota(3) + web(small, 3, "own");
    const application = requirePlan({ declared: web(small) });
    expect(await findingsAfter(server(), requirePlan({ declared: own }), application)).toEqual([
      "error quota-exceeded",
      "note rollout-unknown",
    ]);
    const together = requirePlan({ declared: own + web(small) });
    expect(await findingsAfter(server(), undefined, together)).toEqual(["error quota-exceeded"]);
  });
});

test("Pods don't miss a PriorityClass that the platform creates", async () => {
  const declared =
    'app/class: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: important, namespace: ""}, value: 1000}\n';
  const answer = refused("forbidden", 403, "no PriorityClass with name important was found");
  const application = requirePlan({
    declared: web(small, 1, "web", "priorityClassName: important, "),
  });
  expect(await findingsAfter(server([], answer), undefined, application)).toEqual([
    "error never-fits",
  ]);
  expect(await findingsAfter(server([], answer), requirePlan({ declared }), application)).toEqual(
    [],
  );
});

test("a LimitRange that the platform removes rejects no Pods", async () => {
  const limits =
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: limits}, spec: {limits: [{type: Container, max: {memory: 512Mi}}]}}\n";
  const platform = requirePlan({ before: limits + stays, declared: stays });
  const message =
    'pods "web-" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1Gi';
  const now = server([], refused("forbidden", 403, message));
  const application = requirePlan({ declared: web("resources: {limits: {memory: 1Gi}}") });
  expect(await findingsAfter(now, undefined, application)).toEqual(["error never-fits"]);
  expect(await findingsAfter(now, platform, application)).toEqual([]);
});

describe("a dependency of Pods exists", () => {
  const secret = "envFrom: [{secretRef: {name: login}}]";
  const key = "env: [{name: A, valueFrom: {configMapKeyRef: {name: shared, key: A}}}]";
  const shared =
    'app/shared: {apiVersion: v1, kind: ConfigMap, metadata: {name: shared}, data: {A: "1"}}\n';

  test.each([
    [
      "if the platform creates its controller's object",
      secret,
      "app/login: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: login}}\n",
    ],
    ["if the platform creates it", key, shared],
  ])("%s", async (_, container, declared) => {
    const application = requirePlan({ declared: web(container) });
    expect(await findingsAfter(server(), undefined, application)).toEqual([
      "error missing-dependency",
    ]);
    expect(await findingsAfter(server(), requirePlan({ declared }), application)).toEqual([]);
  });

  test("if the platform creates it with values known after deploy", async () => {
    const plan = requirePlan({ declared: shared });
    const changes = plan.changes.map((each) => ({ ...each, dryRunSkipped: "it takes a secret" }));
    const application = requirePlan({ declared: web(key) });
    expect(await findingsAfter(server(), { ...plan, changes }, application)).toEqual([]);
  });

  test("unless the platform deletes it", async () => {
    const live = {
      ...{ apiVersion: "v1", kind: "ConfigMap", data: { A: "1" } },
      metadata: { name: "shared", namespace: "shop" },
    };
    const platform = requirePlan({ before: shared + stays, declared: stays });
    const application = requirePlan({ declared: web(key) });
    expect(await findingsAfter(server([live]), undefined, application)).toEqual([]);
    expect(await findingsAfter(server([live]), platform, application)).toEqual([
      "error missing-dependency",
    ]);
  });
});

describe("an upstream deployment changes running Pods:", () => {
  const big = "resources: {requests: {cpu: 20}}";
  const own = web(big, 1, "own");
  const running = {
    ...{ apiVersion: "v1", kind: "Pod", status: { phase: "Running" } },
    metadata: { name: "own-1", namespace: "shop", labels: { app: "own" } },
    spec: { nodeName: "n", containers: [{ name: "web", resources: { requests: { cpu: "20" } } }] },
  };
  test.each([
    ["no Pod is added, and there is room", [], web(small), []],
    [
      "Pods are added, and there might be no room",
      [requirePlan({ declared: own })],
      web(big),
      ["note rollout-unknown"],
    ],
    [
      "the same Pods get another image",
      [requirePlan({ before: own, declared: own.replace("web@", "other@") })],
      web(big),
      [],
    ],
    [
      "Pods are deleted, and there might be room",
      [requirePlan({ before: own + stays, declared: stays })],
      web(big),
      ["warning never-fits"],
    ],
    [
      "Pods are scaled down, and there might be room",
      [requirePlan({ before: own, declared: web(big, 0, "own") })],
      web(big),
      ["warning never-fits"],
    ],
  ])("%s", async (name, platforms, declared, found) => {
    const now = server(name.includes("might be room") ? [running] : []);
    expect(await findingsAfter(now, platforms, requirePlan({ declared }))).toEqual(found);
  });

  test("deleted Pods free their quota", async () => {
    const live = {
      ...{ apiVersion: "v1", kind: "ResourceQuota", spec: { hard: { pods: "5" } } },
      ...{ status: { hard: { pods: "5" }, used: { pods: "5" } } },
      metadata: { name: "quota", namespace: "shop" },
    };
    const platform = requirePlan({ before: web(small, 5, "own") + stays, declared: stays });
    const application = requirePlan({ declared: web(small, 2) });
    expect(await findingsAfter(server([live]), undefined, application)).toEqual([
      "error quota-exceeded",
    ]);
    expect(await findingsAfter(server([live]), platform, application)).toContain(
      "warning quota-exceeded",
    );
  });

  test("a Pod that the platform creates is counted once", async () => {
    const pod = `app/one: {apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{name: a, ${image}, ${small}}]}}\n`;
    const platform = requirePlan({ declared: quota(2) + pod });
    const found = await findingsAfter(server(), platform, requirePlan({ declared: web(small) }));
    expect(found).not.toContain("error quota-exceeded");
  });
});

test("the last upstream deployment decides the limits of a LimitRange", async () => {
  const limits = (most: string) =>
    `app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: limits}, spec: {limits: [{type: Container, max: {memory: ${most}}}]}}\n`;
  const first = requirePlan({ before: limits("512Mi") + stays, declared: stays });
  const message =
    'pods "web-" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1Gi';
  const now = server([], refused("forbidden", 403, message));
  const application = requirePlan({ declared: web("resources: {limits: {memory: 1Gi}}") });
  const second = (most: string) => requirePlan({ declared: limits(most) });
  expect(await findingsAfter(now, [first, second("2Gi")], application)).toEqual([]);
  expect(await findingsAfter(now, [first, second("768Mi")], application)).toEqual([
    "error never-fits",
  ]);
});

test("Pods miss a PriorityClass that the platform removes, even if the API server still accepts them", async () => {
  const declared =
    'app/class: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: important, namespace: ""}, value: 1000}\n';
  const platform = requirePlan({ before: declared + stays, declared: stays });
  const pod = "priorityClassName: important, ";
  const application = requirePlan({ declared: web(small, 1, "web", pod) });
  expect(await findingsAfter(server(), platform, application)).toEqual(["error never-fits"]);
  const again = requirePlan({ declared: declared + web(small, 1, "web", pod) });
  expect(await findingsAfter(server(), platform, again)).toEqual([]);
});

describe("an answer of the API server is unchecked if an upstream deployment changes its source:", () => {
  const policy =
    'app/policy: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: no-latest, namespace: ""}, spec: {}}\n';
  const settings = "app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n";
  const key = "core:ConfigMap::shop/settings";
  const denied = (message: string) => ({ [key]: refused("invalid", 422, message) });
  const removed = requirePlan({ before: policy + settings + stays, declared: stays });
  const added = requirePlan({ declared: policy });
  const serving = requirePlan({ declared: web(small, 1, "webhook") });
  const byPolicy = `configmaps "settings" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'b' denied request: no`;
  const byWebhook =
    'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: no endpoints available';
  const byQuota =
    'configmaps "settings" is forbidden: exceeded quota: small, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2';
  const judged = (answers: NonNullable<Situation["answers"]>, ...platforms: readonly Plan[]) => {
    const earlier = after(...platforms);
    const planned = planOf({ declared: settings, purpose: "preview", answers, earlier });
    if (!planned.ok) return "blocked";
    return planned.value.changes.map(({ certainty }) => certainty.by).join();
  };
  test.each([
    ["a policy", byPolicy, removed],
    ["a webhook", byWebhook, serving],
    ["a quota", byQuota, removed],
  ])("%s rejects the object", (_, message, platform) => {
    expect(judged(denied(message))).toBe("blocked");
    expect(judged(denied(message), platform)).toBe("unchecked");
  });
  test("a policy is added", () => {
    expect(judged({})).toBe("server");
    expect(judged({}, added)).toBe("unchecked");
  });
});
