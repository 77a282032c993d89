import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { quotaExceeded } from "../../../../src/preflight/rules/quota-exceeded.ts";
import { declare, text } from "../../../support/plan/declare.ts";
import { applied } from "../../../support/plan/live.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import {
  container,
  findingFields,
  findingsText,
  nodesOf,
  rolling,
  tainted,
  workload,
} from "./run-rule.ts";

/** Returns the plan of a workload with three running Pods and a changed template. */
function rolledOut(kind: string, spec: string): { plan: Plan; facts: Partial<ClusterFacts> } {
  const [before] = declare(workload(kind, spec));
  if (before === undefined) throw new Error("nothing is declared");
  const live = { ...applied(before), status: { replicas: 3, currentNumberScheduled: 3 } };
  const plan = requirePlan({
    before: workload(kind, spec),
    declared: workload(kind, spec, "web:2"),
    live: new Map([[before.key, live]]),
  });
  const spec2 = parse("{containers: [{name: web, resources: {requests: {cpu: 100m}}}]}");
  const pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: spec2 } as KubeObject;
  return { plan, facts: { samplePods: new Map([[before.key, { ok: true, value: pod }]]) } };
}

const quota = (spec: string, used: string): ClusterFacts["quotas"] =>
  new Map([
    [
      "shop",
      {
        known: true,
        value: [
          parse(
            `{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: ${spec}, status: {used: ${used}}}`,
          ) as KubeObject,
        ],
      },
    ],
  ]);

const full = "{requests.cpu: 300m, pods: 3}";

/** Returns the plan of a rollout from Pods with one spec to Pods with another, on one node. */
function changedPods(before: string, after: string, admitted = after, runs = before) {
  const { plan, facts } = rolledOut("Deployment", rolling("1", "0"));
  const [change] = plan.changes;
  if (change?.live === undefined) throw new Error("nothing changes");
  const withSpec = (object: KubeObject, spec: string): KubeObject => ({
    ...object,
    spec: { ...(object["spec"] as JsonObject), template: { spec: parse(spec) } },
  });
  const sample = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: parse(admitted) };
  const live = withSpec(change.live, before);
  const uid = { ...live, metadata: { ...live.metadata, uid: "web" } };
  const set = parse(
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, uid: set, ownerReferences: [{uid: web, controller: true}]}}",
  ) as KubeObject;
  const pod = parse(
    "{apiVersion: v1, kind: Pod, metadata: {name: web-1-a, ownerReferences: [{uid: set, controller: true}]}}",
  ) as KubeObject;
  return {
    plan: {
      ...plan,
      changes: [{ ...change, live: uid, predicted: withSpec(change.desired, after) }],
    },
    facts: {
      ...facts,
      samplePods: new Map([[change.key, { ok: true, value: sample } as const]]),
      replicaSets: { known: true, value: [set] } as const,
      pods: { known: true, value: [{ ...pod, spec: parse(runs) }] } as const,
    },
  };
}

const asking = (cpu: string, more = "") =>
  `{containers: [{name: web, resources: {requests: {cpu: ${cpu}}}}]${more}}`;

const across = (kind: string) =>
  `, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, ${kind}}]}}`;

const acrossQuota = "{hard: {pods: 2}, scopes: [CrossNamespacePodAffinity]}";

const overhead = ", runtimeClassName: sandbox, overhead: {cpu: 100m}";

const twoServices = (spec: string) =>
  ["a", "b"].map(
    (name) =>
      `app/${name}: {apiVersion: v1, kind: Service, metadata: {name: ${name}}, spec: {${spec}}}`,
  );

const twoClaims = (storage: string) =>
  ["a", "b"].map(
    (name) =>
      `app/${name}: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}}, spec: {resources: {requests: {storage: ${storage}}}}}`,
  );

const onePort = "ports: [{port: 80}]";

const jobThat = (name: string, more = "", spec = "") => `
app/${name}:
  apiVersion: batch/v1
  kind: Job
  metadata: {name: ${name}, annotations: {${more}}}
  spec: {${spec} template: {spec: {restartPolicy: Never, containers: [{name: m, image: "m:1", resources: {requests: {cpu: 200m}}}]}}}
`;

const waiting = (...jobs: readonly string[]) =>
  `vs.axis-dev.io/dependsOn: "${jobs.map((name) => `batch:Job::${name}`).join(", ")}"`;

const webThat = (more = "") =>
  workload("Deployment", rolling("0", "1")).replace(
    "{name: web}",
    `{name: web, annotations: {${more}}}`,
  );

test.each([
  ["Deployment", rolling("1", "0"), "{hard: {pods: 3}}", "error"],
  ["Deployment", rolling("1", "1"), "{hard: {pods: 3}}", "note"],
  ["Deployment", rolling("0", "1"), "{hard: {pods: 3}}", ""],
  ["Deployment", rolling("25%", "25%"), "{hard: {pods: 3}}", "error"],
  ["Deployment", rolling("1", "0"), "{hard: {requests.cpu: 350m}}", "error"],
  ["Deployment", rolling("1", "0"), "{hard: {requests.cpu: 400m}}", ""],
  ["Deployment", rolling("3", "0"), "{hard: {requests.cpu: 400m}}", "note"],
  ["Deployment", "strategy: {type: Recreate}", "{hard: {pods: 3}}", ""],
  ["StatefulSet", "serviceName: web", "{hard: {pods: 3}}", ""],
  ["StatefulSet", "serviceName: web", "{hard: {pods: 2}}", "error"],
  ["Rollout", "strategy: {blueGreen: {activeService: web}}", "{hard: {pods: 5}}", "error"],
  ["Rollout", "strategy: {blueGreen: {activeService: web}}", "{hard: {pods: 6}}", ""],
  ["Deployment", rolling("1", "0"), "{hard: {pods: 3}, scopes: [BestEffort]}", ""],
  ["Deployment", rolling("1", "0"), "{hard: {pods: 3}, scopes: [NotBestEffort]}", "error"],
  ["Deployment", rolling("1", "0"), "{hard: {pods: 3}, scopes: [Terminating]}", ""],
  [
    "Deployment",
    rolling("1", "0"),
    "{hard: {pods: 3}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}}",
    "",
  ],
  ["Deployment", rolling("1", "0"), "{hard: {pods: 3}, scopes: [CrossNamespacePodAffinity]}", ""],
  ["Deployment", rolling("1", "0"), "{hard: {count/replicasets.apps: 0}}", "error"],
  ["Rollout", "strategy: {canary: {}}", "{hard: {count/replicasets.apps: 0}}", "error"],
  ["StatefulSet", "serviceName: web", "{hard: {count/controllerrevisions.apps: 0}}", "error"],
  ["DaemonSet", "", "{hard: {count/controllerrevisions.apps: 0}}", "error"],
])("a %s with %s under the quota %s is reported as: %s", (kind, spec, hard, expected) => {
  const { plan, facts } = rolledOut(kind, spec);
  const found = findingsText(quotaExceeded, plan, { ...facts, quotas: quota(hard, full) });
  expect(found.split(":")[0]).toBe(expected);
});

test.each([
  ["smaller ones", asking("200m"), asking("100m"), "{hard: {requests.cpu: 650m}}", "600m", "error"],
  ["smaller ones", asking("200m"), asking("100m"), "{hard: {requests.cpu: 700m}}", "600m", ""],
  ["larger ones", asking("100m"), asking("200m"), "{hard: {requests.cpu: 650m}}", "300m", "error"],
  ["larger ones", asking("100m"), asking("200m"), "{hard: {requests.cpu: 700m}}", "300m", ""],
  [
    "ones with affinity to another namespace",
    asking("1"),
    asking("1", across("namespaces: [other]")),
    acrossQuota,
    "0",
    "error",
  ],
  [
    "ones with affinity to all namespaces",
    asking("1"),
    asking("1", across("namespaceSelector: {}")),
    acrossQuota,
    "0",
    "error",
  ],
  [
    "ones with affinity to their own namespace",
    asking("1"),
    asking("1", across("labelSelector: {}")),
    acrossQuota,
    "0",
    "",
  ],
  [
    "ones with overhead",
    asking("100m"),
    asking("100m", overhead),
    "{hard: {requests.cpu: 650m}}",
    "300m",
    "error",
  ],
  [
    "ones with overhead",
    asking("100m"),
    asking("100m", overhead),
    "{hard: {requests.cpu: 700m}}",
    "300m",
    "",
  ],
])(
  "Pods that become %s change usage from %s to %s under the quota %s",
  (_, before, after, hard, used, expected) => {
    const { plan, facts } = changedPods(before, after);
    const counted = hard === acrossQuota ? "{pods: 0}" : `{requests.cpu: ${used}}`;
    const found = findingsText(quotaExceeded, plan, { ...facts, quotas: quota(hard, counted) });
    expect(found.split(":")[0]).toBe(expected);
  },
);

test("replaced Pods free the quota that they use, including values from admission", () => {
  const { plan, facts } = changedPods(
    "{containers: [{name: web}]}",
    asking("100m"),
    asking("100m"),
    asking("300m"),
  );
  const quotas = quota("{hard: {requests.cpu: 1}}", "{requests.cpu: 900m}");
  expect(findingsText(quotaExceeded, plan, { ...facts, quotas })).toBe("");
});

test.each([
  ["high", 5, "error"],
  ["high", 6, ""],
  ["low", 0, ""],
])(
  "Pods that become of priority %s under a quota of %d for high ones: %s",
  (name, pods, expected) => {
    const { plan, facts } = rolledOut("Deployment", rolling("1", "1"));
    const [[key, sample] = []] = [...(facts.samplePods ?? [])];
    if (key === undefined || sample?.ok !== true) throw new Error("there is no sample");
    const urgent = structuredClone(sample.value) as KubeObject & {
      spec: { [name: string]: string };
    };
    urgent.spec["priorityClassName"] = name;
    const changes = plan.changes.map((change) => {
      const predicted = structuredClone(change.desired) as unknown as {
        spec: { template: { spec: { priorityClassName?: string } } };
      };
      predicted.spec.template.spec.priorityClassName = name;
      return { ...change, predicted: predicted as unknown as KubeObject };
    });
    const scope = "{scopeName: PriorityClass, operator: In, values: [high]}";
    const hard = `{hard: {pods: ${pods}}, scopeSelector: {matchExpressions: [${scope}]}}`;
    const samplePods = new Map([[key, { ok: true, value: urgent } as const]]);
    // The 3 counted Pods are other workloads', so deleting old Pods frees nothing.
    const quotas = quota(hard, "{pods: 3}");
    const found = findingsText(quotaExceeded, { ...plan, changes }, { samplePods, quotas });
    expect(found.split(":")[0]).toBe(expected);
  },
);

test.each([
  ["", nodesOf("{}", "{}", "{}"), "requests.cpu: 300m more needed for 3 Pods, 250m of 250m left"],
  ["", nodesOf("{}", "{}", tainted), ""],
  [
    "",
    nodesOf("{}", "{}", "{unschedulable: true}"),
    "requests.cpu: 300m more needed for 3 Pods, 250m of 250m left",
  ],
  ["nodeSelector: {disk: hdd}, ", nodesOf("{}", "{}", "{}"), ""],
  [
    "tolerations: [{operator: Exists}], ",
    nodesOf("{}", "{}", tainted),
    "requests.cpu: 300m more needed for 3 Pods, 250m of 250m left",
  ],
  ["", { known: false, why: "forbidden" } as const, ""],
])("a new DaemonSet with %s has a Pod on each node that it fits", (pod, nodes, expected) => {
  const declared = workload("DaemonSet", "").replace("{spec: {", `{spec: {${pod}`);
  const quotas = quota("{hard: {requests.cpu: 250m}}", "{}");
  const found = findingsText(quotaExceeded, requirePlan({ declared }), { quotas, nodes });
  expect(found.split("\n")[1]?.trim() ?? "").toBe(expected);
});

test.each([
  ["", "{hard: {pods: 3}}", ""],
  ["updateStrategy: {rollingUpdate: {maxSurge: 1}}", "{hard: {pods: 3}}", "error"],
  ["updateStrategy: {rollingUpdate: {maxSurge: 1}}", "{hard: {pods: 4}}", ""],
])("a rolling DaemonSet with %s under the quota %s is reported as: %s", (spec, hard, expected) => {
  const { plan, facts } = rolledOut("DaemonSet", spec);
  const nodes = nodesOf("{}", "{}", "{}");
  const found = findingsText(quotaExceeded, plan, { ...facts, nodes, quotas: quota(hard, full) });
  expect(found.split(":")[0]).toBe(expected);
});

test.each([
  ["raised", "{pods: 9}", ""],
  ["increased to the required amount", "{pods: 3}", ""],
  ["increased to less", "{pods: 2}", "error"],
])("a quota that this deployment changes has its new limit: %s", (_, hard, expected) => {
  const declared = `${workload("Deployment", rolling("1", "0"))}
app/quota: {apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: ${hard}}}`;
  const quotas = quota("{hard: {pods: 1}}", "{pods: 0}");
  const found = findingsText(quotaExceeded, requirePlan({ declared }), { quotas });
  expect(found.split(":")[0]).toBe(expected);
});

test.each([
  ["{pods: 5}", ""],
  ["{pods: 4}", "error"],
  ["{requests.cpu: 700m}", ""],
  ["{requests.cpu: 600m}", "error"],
])("running Pods count as usage of a new quota: %s", (hard, expected) => {
  const declared = `${workload("Deployment", rolling("1", "0"))}
app/quota: {apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: ${hard}}}`;
  const quotas: ClusterFacts["quotas"] = new Map([["shop", { known: true, value: [] }]]);
  const running = ["Running", "Pending", "Succeeded"].map((phase) =>
    parse(
      `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, status: {phase: ${phase}}, spec: {containers: [{resources: {requests: {cpu: 200m}}}]}}`,
    ),
  );
  const pods = { known: true, value: running as KubeObject[] } as const;
  const found = findingsText(quotaExceeded, requirePlan({ declared }), { quotas, pods });
  expect(found.split(":")[0]).toBe(expected);
});

test.each([
  [
    "get node ports",
    [twoServices(onePort), twoServices(`type: NodePort, ${onePort}`)],
    "services.nodeports: 1",
    "services.nodeports: 2 more needed, 1 of 1 left",
  ],
  ["get ports", [twoServices(onePort), twoServices("ports: [{port: 81}]")], "services: 0", ""],
  [
    "release node ports",
    [twoServices(`type: NodePort, ${onePort}`), twoServices(onePort)],
    "services.nodeports: 0",
    "",
  ],
  [
    "are load balancers without node ports",
    [[], twoServices(`type: LoadBalancer, allocateLoadBalancerNodePorts: false, ${onePort}`)],
    "services.nodeports: 0",
    "",
  ],
  [
    "grow",
    [twoClaims("1Gi"), twoClaims("2Gi")],
    "requests.storage: 1Gi",
    "requests.storage: 2Gi more needed, 1Gi of 1Gi left",
  ],
  ["keep their size", [twoClaims("1Gi"), twoClaims("1024Mi")], "requests.storage: 0", ""],
] as const)("objects that %s are counted together", (_, [before, declared], hard, expected) => {
  const plan = requirePlan({ before: before.join("\n"), declared: declared.join("\n") });
  const found = findingsText(quotaExceeded, plan, { quotas: quota(`{hard: {${hard}}}`, "{}") });
  expect(found.split("\n")[1]?.trim() ?? "").toBe(expected);
});

test("PersistentVolumeClaims of a new StatefulSet are counted with their storage", () => {
  const claims =
    "volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 2Gi}}}}]";
  const plan = requirePlan({ declared: workload("StatefulSet", claims) });
  const quotas = quota("{hard: {requests.storage: 5Gi, persistentvolumeclaims: 3}}", "{}");
  expect(findingsText(quotaExceeded, plan, { quotas })).toBe(
    text(`
    error: StatefulSet shop/web: ResourceQuota small has too little left for this deployment
      requests.storage: 6Gi more needed for 3 Pods, 5Gi of 5Gi left
    `),
  );
});

test.each([
  ["qvs hasn't read", [], ""],
  [
    "are scaled up",
    ["data-web-0", "data-web-1"],
    "StatefulSet shop/web: ResourceQuota small has too little left for this deployment",
  ],
])("PersistentVolumeClaims of a running StatefulSet, which %s", (_, names, expected) => {
  const claims = "volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]";
  const { plan } = rolledOut("StatefulSet", claims);
  const quotas = quota("{hard: {persistentvolumeclaims: 2}}", "{persistentvolumeclaims: 2}");
  const value = names.map((name) => ({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: "shop" } },
  }));
  const facts = { quotas, claims: { known: true, value } as const };
  const [first = ""] = findingsText(quotaExceeded, plan, facts).split("\n");
  expect(first.replace(/^error: /, "")).toBe(expected);
});

test.each([
  ["a Deployment that waits for a Job", [jobThat("a"), webThat(waiting("a"))], "{pods: 3}", ""],
  [
    "a Deployment that doesn't wait",
    [jobThat("a"), webThat()],
    "{pods: 3}",
    "pods: 4 more needed, 3 of 3 left",
  ],
  [
    "a Job that waits for it",
    [jobThat("a", 'vs.axis-dev.io/dependsOn: "apps:Deployment::web"'), webThat()],
    "{pods: 3}",
    "pods: 4 more needed, 3 of 3 left",
  ],
  [
    "a Deployment that waits for a Job through another object",
    [
      jobThat("a"),
      `app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: {${waiting("a")}}}}`,
      webThat('vs.axis-dev.io/dependsOn: "core:ConfigMap::c"'),
    ],
    "{pods: 3}",
    "",
  ],
  [
    "consecutive Jobs",
    [jobThat("a"), jobThat("b", waiting("a")), webThat(waiting("b"))],
    "{requests.cpu: 300m}",
    "",
  ],
  [
    "two parallel Jobs",
    [jobThat("a"), jobThat("b"), webThat(waiting("a", "b"))],
    "{requests.cpu: 300m}",
    "requests.cpu: 400m more needed, 300m of 300m left",
  ],
  [
    "a Job of the previous stage",
    [jobThat("a").replace("app/a", "appSetup/a"), webThat()],
    "{pods: 3}",
    "",
  ],
  [
    "a single Job that needs too much",
    [jobThat("a"), webThat(waiting("a"))],
    "{requests.cpu: 100m}",
    "requests.cpu: 300m more needed for 3 Pods, 100m of 100m left",
  ],
  [
    "completed Pods, if the quota counts them",
    [jobThat("a"), webThat(waiting("a"))],
    "{count/pods: 3}",
    "count/pods: 4 more needed, 3 of 3 left",
  ],
  [
    "completed Jobs",
    [jobThat("a"), jobThat("b", waiting("a"))],
    "{count/jobs.batch: 1}",
    "count/jobs.batch: 2 more needed, 1 of 1 left",
  ],
])("a quota counts the Pods that run at the same time: %s", (_, declared, hard, expected) => {
  const quotas = quota(`{hard: ${hard}}`, "{}");
  const found = findingsText(quotaExceeded, requirePlan({ declared: declared.join("") }), {
    quotas,
  });
  expect(found.split("\n")[1]?.trim() ?? "").toBe(expected);
});

test("Jobs of an upstream deployment count as completed", () => {
  const [earlier] = requirePlan({ declared: jobThat("a") }).changes;
  if (earlier === undefined) throw new Error("nothing is declared");
  const facts = {
    quotas: quota("{hard: {pods: 3}}", "{}"),
    upstreamChanges: [{ ...earlier, deployment: "base" }],
  };
  expect(findingsText(quotaExceeded, requirePlan({ declared: webThat() }), facts)).toBe("");
});

test.each([
  ["{hard: {requests.cpu: 250m}}", `${container}.resources.requests.cpu`],
  ["{hard: {cpu: 250m}}", `${container}.resources.requests.cpu`],
  ["{hard: {pods: 2}}", "spec.replicas"],
  ["{hard: {count/deployments.apps: 0}}", ""],
])("the finding for the quota %s is at the field %s", (hard, expected) => {
  const plan = requirePlan({ declared: workload("Deployment", "") });
  expect(findingFields(quotaExceeded, plan, { quotas: quota(hard, "{}") })).toBe(expected);
});
