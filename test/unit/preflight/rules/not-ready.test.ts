import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { combineUpstreamPlans } from "../../../../src/model/deployments/other-deployments.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { readUnready } from "../../../../src/planning/facts/unready.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { notReady } from "../../../../src/preflight/rules/not-ready.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { declare } from "../../../support/plan/declare.ts";
import { applied } from "../../../support/plan/live.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";

/**
 * A case of findings about objects that a deployment waits for, as `severity: what` with the reason
 * below.
 */
interface Case {
  readonly before: string;
  readonly declared?: string;
  /** The status of the live objects, by name. */
  readonly status: Readonly<Record<string, string>>;
  /** Other objects in the cluster. */
  readonly others?: readonly string[];
  /** The manifests of an upstream deployment. */
  readonly first?: string;
}

async function check({ before, declared = before, status, others = [], first }: Case) {
  const live = declare(before).map((each) => {
    const { name = "" } = each.object.metadata;
    const found = Object.hasOwn(status, String(name)) ? status[String(name)] : undefined;
    const object = applied(each);
    const metadata = { ...object.metadata, generation: 1 };
    return [
      each.key,
      found === undefined ? object : { ...object, metadata, status: parse(found) },
    ] as const;
  });
  const around = others.map((each) => parse(each) as KubeObject);
  const outside = around.map(
    (each) => [`apps:${each.kind}::shop/${each.metadata.name}`, each] as const,
  );
  const plan = requirePlan({ before, declared, live: new Map([...live, ...outside]) });
  const earlier = combineUpstreamPlans(
    first === undefined
      ? []
      : [{ deployment: "first", plan: requirePlan({ declared: first, live: new Map(live) }) }],
  );
  const cluster = fakeCluster([...live.map(([, object]) => object), ...around]);
  const reader = { cluster, concurrency: 2, now: "2026-01-01T01:00:00Z" };
  const facts = {
    unready: await readUnready(reader, plan, earlier),
    upstreamChanges: [...earlier.changes.values()],
  } as Partial<ClusterFacts> as ClusterFacts;
  const releases = { declared: new Set<string>() };
  return notReady({ plan, facts, releases, placeOf: () => undefined })
    .map(({ severity, what, why }) => `${severity}: ${what}\n  ${why}`)
    .join("\n");
}

const web = (
  { spec = "", labels = "{}", image = "web:1" } = {} as {
    readonly spec?: string;
    readonly labels?: string;
    readonly image?: string;
  },
) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, labels: ${labels}}
  spec:
    ${spec}
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "${image}"}]}}
`;
const settings = (size: number) =>
  `app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {size: "${size}"}}\n`;
const reads = web().replace(
  "spec: {containers",
  "spec: {volumes: [{name: s, configMap: {name: settings}}], containers",
);
const job = (name: string, spec = "") =>
  `app/${name}: {apiVersion: batch/v1, kind: Job, metadata: {name: ${name}}, spec: {${spec}template: {spec: {containers: []}}}}\n`;
const other = "app/other: {apiVersion: v1, kind: ConfigMap, metadata: {name: other}}\n";

const annotated = (annotation: string) =>
  web().replace("{name: web, ", `{name: web, annotations: {vs.axis-dev.io/${annotation}}, `);

const conditions = (...all: readonly string[]) => `conditions: [${all.join(", ")}]`;
const since = 'lastTransitionTime: "2026-01-01T00:00:00Z"';
const down = `{observedGeneration: 1, replicas: 1, updatedReplicas: 1, ${conditions(`{type: Available, status: "False", ${since}}`)}}`;
const up = `{observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, ${conditions('{type: Available, status: "True"}')}}`;
const exceeded = `{observedGeneration: 1, replicas: 1, updatedReplicas: 1, ${conditions(
  `{type: Available, status: "False", ${since}}`,
  '{type: Progressing, status: "False", reason: ProgressDeadlineExceeded}',
)}}`;
const isDown = "new 1/1, 0 ready, since 2026-01-01T00:00:00Z";
const failedJob = `{${conditions(`{type: Failed, status: "True", reason: BackoffLimitExceeded, ${since}}`)}}`;

describe("an unchanged object:", () => {
  test.each([
    ["a ready object isn't reported", { before: web(), status: { web: up } }, ""],
    [
      "an unready object is reported, even without changes",
      { before: web(), status: { web: down } },
      `warning: Deployment shop/web isn't ready now, and this deployment only waits for it\n  ${isDown}`,
    ],
    [
      "an unready object is reported next to a new object",
      { before: web(), declared: web() + other, status: { web: down } },
      `warning: Deployment shop/web isn't ready now, and this deployment only waits for it\n  ${isDown}`,
    ],
    [
      "the reports of its Pods are shown",
      {
        before: web(),
        status: { web: down },
        others: [
          `{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop, labels: {app: web}}, status: {containerStatuses: [{name: web, state: {waiting: {reason: ImagePullBackOff}}}]}}`,
        ],
      },
      "warning: Deployment shop/web isn't ready now, and this deployment only waits for it\n  new 1/1, 0 ready; Pod web-1: container web: ImagePullBackOff, since 2026-01-01T00:00:00Z",
    ],
    [
      "an object that isn't awaited isn't reported",
      { before: annotated('wait: "false"'), status: { web: down } },
      "",
    ],
    [
      "an object with an exceeded deadline and only tolerated failures isn't ready",
      { before: annotated("tolerate: 3m"), status: { web: exceeded } },
      "warning: Deployment shop/web isn't ready now, and this deployment only waits for it\n  ProgressDeadlineExceeded (new 1/1, 0 ready), since 2026-01-01T00:00:00Z",
    ],
    [
      "an object with an exceeded deadline has failed",
      { before: web(), status: { web: exceeded } },
      "error: Deployment shop/web has failed, and this deployment would fail with it\n  ProgressDeadlineExceeded (new 1/1, 0 ready), since 2026-01-01T00:00:00Z",
    ],
    [
      "a failed Job stays failed",
      { before: job("once"), status: { once: failedJob } },
      "error: Job shop/once has failed, and this deployment would fail with it\n  BackoffLimitExceeded, since 2026-01-01T00:00:00Z",
    ],
    [
      "a custom resource has its conditions",
      {
        before:
          "app/bucket: {apiVersion: example.org/v1, kind: Bucket, metadata: {name: bucket}}\n",
        status: { bucket: `{${conditions('{type: Ready, status: "False", reason: NoAccess}')}}` },
      },
      "warning: Bucket shop/bucket isn't ready now, and this deployment only waits for it\n  NoAccess",
    ],
    [
      "qvs doesn't wait for a paused object",
      { before: web({ spec: "paused: true" }), status: { web: down } },
      "",
    ],
    [
      "qvs doesn't wait for an object without replicas",
      {
        before: web({ spec: "replicas: 0" }),
        status: {
          web: `{observedGeneration: 1, ${conditions('{type: Available, status: "True"}')}}`,
        },
      },
      "",
    ],
    [
      "qvs doesn't wait for a suspended Job",
      { before: job("once", "suspend: true, "), status: { once: "{}" } },
      "",
    ],
  ] satisfies readonly [string, Case, string][])("%s", async (_, given, expected) => {
    expect(await check(given)).toBe(expected);
  });
});

describe("a changed object:", () => {
  test.each([
    [
      "a new rollout isn't judged by its previous state",
      { before: web(), declared: web({ image: "web:2" }), status: { web: exceeded } },
      "",
    ],
    [
      "a changed label starts no rollout",
      { before: web(), declared: web({ labels: "{team: a}" }), status: { web: down } },
      `warning: Deployment shop/web isn't ready now, and this deployment only waits for it\n  ${isDown}`,
    ],
    [
      "an annotation of a custom resource might make it ready",
      {
        before:
          "app/bucket: {apiVersion: example.org/v1, kind: Bucket, metadata: {name: bucket}}\n",
        declared:
          "app/bucket: {apiVersion: example.org/v1, kind: Bucket, metadata: {name: bucket, annotations: {again: now}}}\n",
        status: { bucket: `{${conditions('{type: Ready, status: "False"}')}}` },
      },
      "",
    ],
    [
      "a changed dependency might make it ready",
      { before: settings(1) + reads, declared: settings(2) + reads, status: { web: exceeded } },
      "note: Deployment shop/web isn't ready now, and this deployment waits for it\n  new 1/1, 0 ready, since 2026-01-01T00:00:00Z. It depends on ConfigMap shop/settings, which this deployment changes",
    ],
    [
      "an object that an upstream deployment changes isn't evaluated",
      { before: web(), first: web({ image: "web:2" }), status: { web: down } },
      "",
    ],
  ] satisfies readonly [string, Case, string][])("%s", async (_, given, expected) => {
    expect(await check(given)).toBe(expected);
  });
});

describe("an object outside this deployment:", () => {
  const theirs = (status: string) =>
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: theirs, namespace: shop, generation: 1}, spec: {selector: {matchLabels: {app: theirs}}}, status: ${status}}`;
  const needs = other.replace(
    "{name: other}",
    '{name: other, annotations: {vs.axis-dev.io/dependsOn: "apps:Deployment::shop/theirs"}}',
  );

  test.each([
    [up, ""],
    [
      down,
      `warning: Deployment shop/theirs isn't ready now, and this deployment only waits for it\n  ${isDown}`,
    ],
    [
      exceeded,
      "error: Deployment shop/theirs has failed, and this deployment would fail with it\n  ProgressDeadlineExceeded (new 1/1, 0 ready), since 2026-01-01T00:00:00Z",
    ],
  ])("its status %s is reported", async (status, expected) => {
    const given = { before: other, declared: needs, status: {}, others: [theirs(status)] };
    expect(await check(given)).toBe(expected);
  });
});

test("the finding hides a Secret's value that the cluster quotes", async () => {
  const secret =
    "app/key: {apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {token: hunter2hunter2}}\n";
  const bucket =
    "app/bucket: {apiVersion: example.org/v1, kind: Bucket, metadata: {name: bucket}}\n";
  const status = `{${conditions('{type: Ready, status: "False", reason: Denied, message: "no key hunter2hunter2"}')}}`;
  expect(await check({ before: secret + bucket, status: { bucket: status } })).toContain(
    "Denied: no key (hidden)",
  );
});

test("the finding shows the object's status if qvs can't list Pods", async () => {
  const [declared] = declare(web()).map((each) => applied(each));
  if (declared === undefined) throw new Error("nothing is declared");
  const metadata = { ...declared.metadata, generation: 1 };
  const object = { ...declared, metadata, status: parse(down) };
  const live = new Map([["apps:Deployment::shop/web", object]]);
  const plan = requirePlan({ before: web(), declared: web(), live });
  const cluster = { ...fakeCluster([]), list: async () => refused("forbidden", 403, "no") };
  const reader = { cluster, concurrency: 2, now: "2026-01-01T01:00:00Z" };
  const unready = await readUnready(reader, plan, combineUpstreamPlans([]));
  expect([...unready.values()]).toEqual([
    { state: "waiting", why: "new 1/1, 0 ready", since: "2026-01-01T00:00:00Z" },
  ]);
});
