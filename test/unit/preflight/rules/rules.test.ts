import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { knownAfterDeploy } from "../../../../src/model/apply-time-reference.ts";
import type { DeletedContents } from "../../../../src/model/cluster/namespaces-and-crds.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan.ts";
import { anyNamespace, type ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { isWorkload, predictDeletions } from "../../../../src/preflight/predict-deletions.ts";
import type { PreflightRule } from "../../../../src/preflight/rule.ts";
import { deletesOutsideObjects } from "../../../../src/preflight/rules/deletes-outside-objects.ts";
import { exclusiveValueConflict } from "../../../../src/preflight/rules/exclusive-value-conflict.ts";
import { imageNotPinned } from "../../../../src/preflight/rules/image-not-pinned.ts";
import { invalidImage } from "../../../../src/preflight/rules/invalid-image.ts";
import { missingDependency } from "../../../../src/preflight/rules/missing-dependency.ts";
import { missingPermission } from "../../../../src/preflight/rules/missing-permission.ts";
import { oldPodsRemain } from "../../../../src/preflight/rules/old-pods-remain.ts";
import { quotaExceeded } from "../../../../src/preflight/rules/quota-exceeded.ts";
import { rejectedPods } from "../../../../src/preflight/rules/rejected-pods.ts";
import { rolloutPaused } from "../../../../src/preflight/rules/rollout-paused.ts";
import { serviceWithoutEndpoints } from "../../../../src/preflight/rules/service-without-endpoints.ts";
import { stillReferenced } from "../../../../src/preflight/rules/still-referenced.ts";
import { tooLarge } from "../../../../src/preflight/rules/too-large.ts";
import { unknownPort } from "../../../../src/preflight/rules/unknown-port.ts";
import { refused } from "../../../support/fake-cluster.ts";
import { declare, text } from "../../../support/plan/declare.ts";
import { applied, appliedFrom, liveFrom } from "../../../support/plan/live.ts";
import { requirePlan, type Situation } from "../../../support/plan/plan-text.ts";

const nothing = { known: true, value: [] } as const;
const noFacts: ClusterFacts = {
  nodes: nothing,
  pods: nothing,
  replicaSets: nothing,
  namespaces: nothing,
  priorityClasses: nothing,
  claims: nothing,
  volumes: nothing,
  storageClasses: nothing,
  csiNodes: nothing,
  autoscaler: undefined,
  samplePods: new Map(),
  sampleClaims: new Map(),
  upstreamChanges: [],
  upstreamDeletions: [],
  quotas: new Map(),
  dependencies: new Map(),
  users: new Map(),
  referrers: new Map(),
  kinds: [],
  admissionObjects: [],
  unready: new Map(),
  owners: new Map(),
};

/** `severity: what` and the numbers, a line each. */
function told(rule: PreflightRule, plan: Plan, facts: Partial<ClusterFacts>): string {
  const input = {
    plan,
    facts: { ...noFacts, ...facts },
    releases: { declared: new Set<string>() },
    placeOf: () => undefined,
  };
  return rule(input)
    .map(({ severity, what, why }) => `${severity}: ${what}${why === "" ? "" : `\n  ${why}`}`)
    .join("\n");
}

const withPods = (pods: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {${pods}}}
`;

const workload = (kind: string, spec: string, image = "web:1") => `
app/web:
  apiVersion: ${kind === "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1"}
  kind: ${kind}
  metadata: {name: web}
  spec:
    replicas: 3
    ${spec}
    template: {spec: {containers: [{name: web, image: "${image}", resources: {requests: {cpu: 100m}}}]}}
`;

/** Three Pods run, and the template changes. */
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

const rolling = (surge: string, unavailable: string) =>
  `strategy: {rollingUpdate: {maxSurge: ${surge}, maxUnavailable: ${unavailable}}}`;
const full = "{requests.cpu: 300m, pods: 3}";

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
])("a %s with %s under the quota %s: %s", (kind, spec, hard, expected) => {
  const { plan, facts } = rolledOut(kind, spec);
  const found = told(quotaExceeded, plan, { ...facts, quotas: quota(hard, full) });
  expect(found.split(":")[0]).toBe(expected);
});

/** A rollout of Pods with this spec to Pods with that one, on one node. */
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

test.each([
  ["smaller ones", asking("200m"), asking("100m"), "{hard: {requests.cpu: 650m}}", "600m", "error"],
  ["smaller ones", asking("200m"), asking("100m"), "{hard: {requests.cpu: 700m}}", "600m", ""],
  ["larger ones", asking("100m"), asking("200m"), "{hard: {requests.cpu: 650m}}", "300m", "error"],
  ["larger ones", asking("100m"), asking("200m"), "{hard: {requests.cpu: 700m}}", "300m", ""],
  [
    "one that looks elsewhere",
    asking("1"),
    asking("1", across("namespaces: [other]")),
    acrossQuota,
    "0",
    "error",
  ],
  [
    "one that looks everywhere",
    asking("1"),
    asking("1", across("namespaceSelector: {}")),
    acrossQuota,
    "0",
    "error",
  ],
  [
    "one that looks around",
    asking("1"),
    asking("1", across("labelSelector: {}")),
    acrossQuota,
    "0",
    "",
  ],
  [
    "one with overhead",
    asking("100m"),
    asking("100m", overhead),
    "{hard: {requests.cpu: 650m}}",
    "300m",
    "error",
  ],
  [
    "one with overhead",
    asking("100m"),
    asking("100m", overhead),
    "{hard: {requests.cpu: 700m}}",
    "300m",
    "",
  ],
])("Pods that become %s: %s → %s under the quota %s", (_, before, after, hard, used, expected) => {
  const { plan, facts } = changedPods(before, after);
  const counted = hard === acrossQuota ? "{pods: 0}" : `{requests.cpu: ${used}}`;
  const found = told(quotaExceeded, plan, { ...facts, quotas: quota(hard, counted) });
  expect(found.split(":")[0]).toBe(expected);
});

test("what leaves gives back what admission had given it", () => {
  const { plan, facts } = changedPods(
    "{containers: [{name: web}]}",
    asking("100m"),
    asking("100m"),
    asking("300m"),
  );
  const quotas = quota("{hard: {requests.cpu: 1}}", "{requests.cpu: 900m}");
  expect(told(quotaExceeded, plan, { ...facts, quotas })).toBe("");
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
    // Those that are there are others': what leaves gives nothing back.
    const quotas = quota(hard, "{pods: 3}");
    const found = told(quotaExceeded, { ...plan, changes }, { samplePods, quotas });
    expect(found.split(":")[0]).toBe(expected);
  },
);

const nodesOf = (...specs: readonly string[]): ClusterFacts["nodes"] => ({
  known: true,
  value: specs.map((spec, index) =>
    parse(
      `{apiVersion: v1, kind: Node, metadata: {name: n${index}, labels: {disk: ssd}}, spec: ${spec}}`,
    ),
  ),
});
const tainted = "{taints: [{key: gpu, effect: NoSchedule}]}";

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
  const found = told(quotaExceeded, requirePlan({ declared }), { quotas, nodes });
  expect(found.split("\n")[1]?.trim() ?? "").toBe(expected);
});

test.each([
  ["", "{hard: {pods: 3}}", ""],
  ["updateStrategy: {rollingUpdate: {maxSurge: 1}}", "{hard: {pods: 3}}", "error"],
  ["updateStrategy: {rollingUpdate: {maxSurge: 1}}", "{hard: {pods: 4}}", ""],
])("a DaemonSet that rolls with %s under the quota %s: %s", (spec, hard, expected) => {
  const { plan, facts } = rolledOut("DaemonSet", spec);
  const nodes = nodesOf("{}", "{}", "{}");
  const found = told(quotaExceeded, plan, { ...facts, nodes, quotas: quota(hard, full) });
  expect(found.split(":")[0]).toBe(expected);
});

test.each([
  ["raised", "{pods: 9}", ""],
  ["raised to what is needed", "{pods: 3}", ""],
  ["raised to less", "{pods: 2}", "error"],
])("a quota that this deployment changes is judged as it will be: %s", (_, hard, expected) => {
  const declared = `${workload("Deployment", rolling("1", "0"))}
app/quota: {apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: ${hard}}}`;
  const quotas = quota("{hard: {pods: 1}}", "{pods: 0}");
  const found = told(quotaExceeded, requirePlan({ declared }), { quotas });
  expect(found.split(":")[0]).toBe(expected);
});

test.each([
  ["{pods: 5}", ""],
  ["{pods: 4}", "error"],
  ["{requests.cpu: 700m}", ""],
  ["{requests.cpu: 600m}", "error"],
])("of a new quota what runs is used: %s", (hard, expected) => {
  const declared = `${workload("Deployment", rolling("1", "0"))}
app/quota: {apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: ${hard}}}`;
  const quotas: ClusterFacts["quotas"] = new Map([["shop", { known: true, value: [] }]]);
  const running = ["Running", "Pending", "Succeeded"].map((phase) =>
    parse(
      `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, status: {phase: ${phase}}, spec: {containers: [{resources: {requests: {cpu: 200m}}}]}}`,
    ),
  );
  const pods = { known: true, value: running as KubeObject[] } as const;
  const found = told(quotaExceeded, requirePlan({ declared }), { quotas, pods });
  expect(found.split(":")[0]).toBe(expected);
});

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

test.each([
  [
    "get node ports",
    [twoServices(onePort), twoServices(`type: NodePort, ${onePort}`)],
    "services.nodeports: 1",
    "services.nodeports: 2 more needed, 1 of 1 left",
  ],
  ["get ports", [twoServices(onePort), twoServices("ports: [{port: 81}]")], "services: 0", ""],
  [
    "give up node ports",
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
  ["stay as large", [twoClaims("1Gi"), twoClaims("1024Mi")], "requests.storage: 0", ""],
] as const)("objects that %s count together", (_, [before, declared], hard, expected) => {
  const plan = requirePlan({ before: before.join("\n"), declared: declared.join("\n") });
  const found = told(quotaExceeded, plan, { quotas: quota(`{hard: {${hard}}}`, "{}") });
  expect(found.split("\n")[1]?.trim() ?? "").toBe(expected);
});

test("claims of a new StatefulSet count with their storage", () => {
  const claims =
    "volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 2Gi}}}}]";
  const plan = requirePlan({ declared: workload("StatefulSet", claims) });
  const quotas = quota("{hard: {requests.storage: 5Gi, persistentvolumeclaims: 3}}", "{}");
  expect(told(quotaExceeded, plan, { quotas })).toBe(
    text(`
    error: StatefulSet shop/web: ResourceQuota small has too little left for this deployment
      requests.storage: 6Gi more needed for 3 Pods, 5Gi of 5Gi left
    `),
  );
});

test.each([
  ["nobody has looked at", [], ""],
  [
    "are to be more",
    ["data-web-0", "data-web-1"],
    "StatefulSet shop/web: ResourceQuota small has too little left for this deployment",
  ],
])("claims of a StatefulSet that runs, which %s", (_, names, expected) => {
  const claims = "volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]";
  const { plan } = rolledOut("StatefulSet", claims);
  const quotas = quota("{hard: {persistentvolumeclaims: 2}}", "{persistentvolumeclaims: 2}");
  const value = names.map((name) => ({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: "shop" } },
  }));
  const facts = { quotas, claims: { known: true, value } as const };
  const [first = ""] = told(quotaExceeded, plan, facts).split("\n");
  expect(first.replace(/^error: /, "")).toBe(expected);
});

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
  ["a Deployment that waits for a Job", [jobThat("a"), webThat(waiting("a"))], "{pods: 3}", ""],
  [
    "one that does not wait",
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
    "one that waits for a Job by way of another object",
    [
      jobThat("a"),
      `app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: {${waiting("a")}}}}`,
      webThat('vs.axis-dev.io/dependsOn: "core:ConfigMap::c"'),
    ],
    "{pods: 3}",
    "",
  ],
  [
    "Jobs one after the other",
    [jobThat("a"), jobThat("b", waiting("a")), webThat(waiting("b"))],
    "{requests.cpu: 300m}",
    "",
  ],
  [
    "two Jobs side by side",
    [jobThat("a"), jobThat("b"), webThat(waiting("a", "b"))],
    "{requests.cpu: 300m}",
    "requests.cpu: 400m more needed, 300m of 300m left",
  ],
  [
    "a Job of the stage before",
    [jobThat("a").replace("app/a", "appSetup/a"), webThat()],
    "{pods: 3}",
    "",
  ],
  [
    "a Job that alone needs too much",
    [jobThat("a"), webThat(waiting("a"))],
    "{requests.cpu: 100m}",
    "requests.cpu: 300m more needed for 3 Pods, 100m of 100m left",
  ],
  [
    "Pods that have ended, where they are counted",
    [jobThat("a"), webThat(waiting("a"))],
    "{count/pods: 3}",
    "count/pods: 4 more needed, 3 of 3 left",
  ],
  [
    "Jobs that have ended",
    [jobThat("a"), jobThat("b", waiting("a"))],
    "{count/jobs.batch: 1}",
    "count/jobs.batch: 2 more needed, 1 of 1 left",
  ],
])("a quota that counts what runs at the same time: %s", (_, declared, hard, expected) => {
  const quotas = quota(`{hard: ${hard}}`, "{}");
  const found = told(quotaExceeded, requirePlan({ declared: declared.join("") }), { quotas });
  expect(found.split("\n")[1]?.trim() ?? "").toBe(expected);
});

test("Jobs of a deployment before have ended", () => {
  const [earlier] = requirePlan({ declared: jobThat("a") }).changes;
  if (earlier === undefined) throw new Error("nothing is declared");
  const facts = {
    quotas: quota("{hard: {pods: 3}}", "{}"),
    upstreamChanges: [{ ...earlier, deployment: "base" }],
  };
  expect(told(quotaExceeded, requirePlan({ declared: webThat() }), facts)).toBe("");
});

const forbidden = (verb: string, resource: string) =>
  `${resource} is forbidden: User "viewer" cannot ${verb} resource "${resource}" in API group "" in the namespace "shop"`;

test("what could not be asked is told once for each namespace, and never an error", () => {
  const facts: Partial<ClusterFacts> = {
    samplePods: new Map([
      ["a", refused("forbidden", 403, forbidden("create", "pods"))],
      ["b", refused("forbidden", 403, forbidden("create", "pods"))],
    ]),
    quotas: new Map([["shop", { known: false, why: forbidden("list", "resourcequotas") }]]),
    dependencies: new Map([["x", { known: false, why: forbidden("get", "configmaps") }]]),
  };
  expect(told(missingPermission, requirePlan({ declared: "" }), facts)).toBe(
    text(`
    note: This identity lacks permissions in namespace shop for some checks
      It isn't allowed to create pods, get configmaps, list resourcequotas. qvs can't check whether quotas are large enough, whether the API server accepts the Pods, whether the objects exist that Pods name
    `),
  );
});

const volume = (name: string, stage = "app", namespace = "shop") =>
  `${stage}/${name}: {apiVersion: v1, kind: PersistentVolume, metadata: {name: ${name}}, spec: {claimRef: {namespace: ${namespace}, name: data}}}\n`;
const itsClaim =
  "app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {}}\n";

test.each([
  ["that stays", "Bound", volume("disk"), "", "", "PersistentVolumeClaim shop/data is bound to it"],
  [
    "that is declared",
    "Bound",
    volume("disk"),
    itsClaim,
    "",
    "PersistentVolumeClaim shop/data is bound to it",
  ],
  ["that goes, too", "Bound", volume("disk") + itsClaim, "", "data, disk", ""],
  [
    "that goes with its Namespace",
    "Bound",
    `${volume("disk", "app", "own")}app/own: {apiVersion: v1, kind: Namespace, metadata: {name: own}}`,
    "",
    "own, disk",
    "",
  ],
  [
    "that goes after appSetup has gone",
    "Bound",
    volume("disk", "appSetup") + itsClaim,
    "",
    "data, disk",
    "",
  ],
  ["that is gone", "Released", volume("disk"), "", "disk", ""],
])("a volume with a claim %s", (_, phase, before, stays, gone, why) => {
  const live = [...appliedFrom(before + stays)].map(
    ([key, object]) => [key, { ...object, status: { phase } }] as const,
  );
  const situation = {
    ...{ before: before + stays, declared: stays + old, live: new Map(live) },
    allowDelete: ["everything", "PersistentVolume", "PersistentVolumeClaim", "Namespace"],
  };
  const plan = predictDeletions(requirePlan(situation), noFacts, "deploy");
  expect(plan.deletions.map(({ id }) => id.name).join(", ")).toBe(gone);
  expect(plan.kept.map(({ detail }) => detail).join("; ")).toBe(why);
});

const old = "app/old: {apiVersion: v1, kind: ConfigMap, metadata: {name: old}}\n";
const configs = (user: string, kind: string, more = "") => `
- apiVersion: ${kind === "Rollout" ? "argoproj.io/v1alpha1" : kind === "Pod" ? "v1" : "apps/v1"}
  kind: ${kind}
  metadata: {name: ${user}, namespace: shop, uid: ${user}}
  ${kind === "Pod" ? "spec: {containers: [{envFrom: [{configMapRef: {name: old}}]}]}" : `spec: {${more}template: {spec: {containers: [{envFrom: [{configMapRef: {name: old}}]}]}}}`}
`;
const namersFrom = (yaml: string): Partial<ClusterFacts> => {
  const all = [...liveFrom(yaml).values()];
  const those = (value: typeof all) => new Map([["shop", { known: true as const, value }]]);
  return {
    users: those(all.filter(isWorkload)),
    referrers: those(all.filter((o) => !isWorkload(o))),
  };
};

function kept(situation: Situation, facts: Partial<ClusterFacts>): string {
  const plan = predictDeletions(requirePlan(situation), { ...noFacts, ...facts }, "deploy");
  return plan.kept.map(({ detail }) => detail).join("; ");
}

test.each([
  ["a workload of others", configs("theirs", "Deployment"), "still used by Deployment shop/theirs"],
  ["a DaemonSet", configs("theirs", "DaemonSet"), "still used by DaemonSet shop/theirs"],
  ["a bare Pod", configs("theirs", "Pod"), "still used by Pod shop/theirs"],
  ["nobody", "[]", ""],
  ["what this deployment rolls out anew", configs("web", "Deployment"), ""],
])("what %s still uses is foretold to stay", (_, namers, expected) => {
  const declared = workload("Deployment", rolling("1", "0"));
  expect(kept({ before: old + declared, declared }, namersFrom(namers))).toBe(expected);
});

const ownedBy = (kind: string, uid: string) =>
  `ownerReferences: [{apiVersion: v1, kind: ${kind}, name: ${uid}, uid: ${uid}, controller: true}]`;
/** Its Pod names what no template does, as the Secret that its account has given it. */
const withPod = (api: string, kind: string, between: string, spec: string, label = "") => `
- {apiVersion: ${api}, kind: ${kind}, metadata: {name: web, namespace: shop, uid: web}, spec: ${spec}}
- apiVersion: v1
  kind: ${between}
  metadata: {name: mid, namespace: shop, uid: mid, ${ownedBy(kind, "web")}}
  spec: {template: {metadata: {labels: {app: web${label}}}, spec: {containers: []}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: shop, uid: pod, ${ownedBy(between, "mid")}}
  spec: {containers: [{envFrom: [{configMapRef: {name: old}}]}]}
`;
const ownTemplate = "{template: {metadata: {labels: {app: web}}, spec: {containers: []}}}";
const jobs = `{schedule: "0 0 * * *", jobTemplate: {spec: ${ownTemplate}}}`;

test.each([
  ["apps/v1", "Deployment", "ReplicaSet", ownTemplate, ", pod-template-hash: x"],
  ["argoproj.io/v1alpha1", "Rollout", "ReplicaSet", ownTemplate, ", rollouts-pod-template-hash: x"],
  ["batch/v1", "CronJob", "Job", jobs, ""],
])("what a Pod of an unchanged %s %s has keeps it", (api, kind, between, spec, label) => {
  const declared = `app/web: {apiVersion: ${api}, kind: ${kind}, metadata: {name: web}, spec: ${spec}}\n`;
  const pods = namersFrom(withPod(api, kind, between, spec, label));
  expect(kept({ before: old + declared, declared }, pods)).toBe("still used by Pod shop/web-1");
});

const naming = "spec: {containers: [{name: c, envFrom: [{configMapRef: {name: old}}]}]}";
const template = `{metadata: {labels: {app: web}}, ${naming}}`;

test.each([
  ["apps/v1", "StatefulSet", `{replicas: 0, template: ${template}}`],
  ["apps/v1", "Deployment", `{replicas: 0, template: ${template}}`],
  ["batch/v1", "CronJob", `{schedule: "0 0 * * *", jobTemplate: {spec: {template: ${template}}}}`],
])("an unchanged %s %s keeps what it names, though no Pod of it runs", (api, kind, spec) => {
  const declared = `app/web: {apiVersion: ${api}, kind: ${kind}, metadata: {name: web}, spec: ${spec}}\n`;
  const live = `[{apiVersion: ${api}, kind: ${kind}, metadata: {name: web, namespace: shop, uid: web}, spec: ${spec}}]`;
  expect(kept({ before: old + declared, declared }, namersFrom(live))).toBe(
    `still used by ${kind} shop/web`,
  );
});

const why =
  'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "shop"';
const unknown = { users: new Map([["shop", { known: false as const, why }]]) };

test.each([
  ["ConfigMap", `qvs can't find out whether it is still used: ${why}`],
  ["Service", ""],
])("whoever deploys keeps a %s of which it can't tell whether it is used: %s", (kind, expected) => {
  const before = old.replace("ConfigMap", kind);
  const declared = workload("Deployment", rolling("1", "0"));
  expect(kept({ before: before + declared, declared }, unknown)).toBe(expected);
});

test("a preview that can't tell whether something is used shows its deletion, and says so", () => {
  const declared = workload("Deployment", rolling("1", "0"));
  const plan = requirePlan({ before: old + declared, declared });
  const predicted = predictDeletions(plan, { ...noFacts, ...unknown }, "preview");
  expect(predicted.deletions.map(({ id }) => id.name)).toEqual(["old"]);
  expect(told(missingPermission, plan, unknown)).toBe(
    "note: This identity lacks permissions in namespace shop for some checks\n" +
      "  It isn't allowed to list pods. qvs can't check whether ConfigMap shop/old is still used. A deployment without these permissions keeps objects that might be in use",
  );
});

test("who names a deleted object besides workloads has no part in whether it stays", () => {
  const declared = workload("Deployment", rolling("1", "0"));
  const facts = {
    ...namersFrom(configs("theirs", "Pod")),
    referrers: new Map([["shop", { known: false as const, why: "ingresses is forbidden" }]]),
  };
  expect(kept({ before: old + declared, declared }, facts)).toBe("still used by Pod shop/theirs");
});

test.each([
  ["StatefulSet", "updateStrategy: {type: OnDelete}", "still used by StatefulSet shop/web"],
  [
    "StatefulSet",
    "updateStrategy: {rollingUpdate: {partition: 1}}",
    "still used by StatefulSet shop/web",
  ],
  ["StatefulSet", "updateStrategy: {rollingUpdate: {partition: 0}}", ""],
  [
    "Deployment",
    "paused: true",
    "for now: Deployment shop/web is held back, and its old Pods might still use it",
  ],
  [
    "Rollout",
    "strategy: {canary: {steps: [{setWeight: 20}, {pause: {}}]}}",
    "for now: Rollout shop/web is held back, and its old Pods might still use it",
  ],
  ["Rollout", "strategy: {canary: {steps: [{setWeight: 20}]}}", ""],
  [
    "Rollout",
    "strategy: {blueGreen: {autoPromotionEnabled: false}}",
    "for now: Rollout shop/web is held back, and its old Pods might still use it",
  ],
])("old Pods of a %s with %s: %s", (kind, spec, expected) => {
  const before = old + workload(kind, spec);
  const declared = workload(kind, spec, "web:2");
  expect(kept({ before, declared }, namersFrom(configs("web", kind)))).toBe(expected);
});

test.each([
  [
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x, namespace: shop}, spec: {rules: [{http: {paths: [{backend: {service: {name: gone}}}]}}]}}",
    "Service",
  ],
  [
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: x, namespace: shop}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: gone}}}",
    "Deployment",
  ],
  [
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x, namespace: shop}, roleRef: {kind: ClusterRole, name: y}, subjects: [{kind: ServiceAccount, name: gone}]}",
    "ServiceAccount",
  ],
  [
    "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: x, namespace: shop}, spec: {rules: [{backendRefs: [{name: gone}]}]}}",
    "Service",
  ],
])("%s names the %s that goes", (namer, kind) => {
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  const before = `app/gone: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: gone}}\n`;
  const plan = requirePlan({ before, declared: "", allowDelete: ["everything"] });
  const found = told(stillReferenced, plan, namersFrom(`[${namer}]`));
  expect(found).toContain(`warning: ${kind} shop/gone is deleted, but`);
});

const webhooks = (policy: string, namespace = "shop") =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: x}, webhooks: [{failurePolicy: ${policy}, clientConfig: {service: {name: gone, namespace: ${namespace}}}}]}`;
const bound = (namespace: string) =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: x}, roleRef: {kind: ClusterRole, name: y}, subjects: [{kind: ServiceAccount, name: gone, namespace: ${namespace}}]}`;
const whatFollows = ". The API server then denies each request that it must send to this Service";

test.each([
  ["webhooks", webhooks("Fail"), "Service", "ValidatingWebhookConfiguration x", whatFollows],
  ["lenient ones", webhooks("Ignore"), "Service", "ValidatingWebhookConfiguration x", ""],
  ["those of another namespace", webhooks("Fail", "other"), "Service", "", ""],
  [
    "an APIService",
    "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.x}, spec: {service: {name: gone, namespace: shop}}}",
    "Service",
    "APIService v1.x",
    whatFollows,
  ],
  ["a binding", bound("shop"), "ServiceAccount", "ClusterRoleBinding x", ""],
  ["one of another account", bound("other"), "ServiceAccount", "", ""],
])("%s of the whole cluster name what goes", (_, namer, kind, name, why) => {
  const before = `app/gone: {apiVersion: v1, kind: ${kind}, metadata: {name: gone}}\n`;
  const plan = requirePlan({ before, declared: "", allowDelete: ["everything"] });
  const namers = new Map([
    [anyNamespace, { known: true as const, value: [...liveFrom(`[${namer}]`).values()] }],
  ]);
  const expected = `warning: ${kind} shop/gone is deleted, but ${name} refers to it
  ${name} isn't part of this deployment${why}`;
  expect(told(stillReferenced, plan, { referrers: namers })).toBe(name === "" ? "" : expected);
});

test("a binding of this deployment names an account that goes with its namespace", () => {
  const binding = `app/bound: ${bound("shop")}\n`;
  const before = `${binding}app/gone: {apiVersion: v1, kind: ServiceAccount, metadata: {name: gone}}\n`;
  const plan = requirePlan({ before, declared: binding });
  expect(told(stillReferenced, plan, {})).toContain(
    "ServiceAccount shop/gone is deleted, but ClusterRoleBinding x refers to it",
  );
});

const toolsKey = "core:Namespace::tools";
const inTools = (kind: string, name: string, manager: string) => {
  const id = { group: "", kind, namespace: "tools", name };
  return { key: keyOf(id), id, manager };
};

test.each<[string, DeletedContents, string]>([
  ["nothing of others", { objects: [], unread: [] }, ""],
  [
    "objects of others",
    {
      objects: [
        ...["a", "b", "c", "d"].map((name) => inTools("ConfigMap", name, '"kubectl"')),
        inTools("Secret", "login", "Helm release tool"),
        inTools("Pod", "p", ""),
      ],
      unread: [],
    },
    `warning: Namespace tools is deleted together with 6 objects outside this deployment
  ConfigMap (4): a, b, c and 1 more; Pod (1): p; Secret (1): login. Managed by "kubectl" (4), Helm release tool (1), an unknown manager (1)`,
  ],
  [
    "kinds that can't be listed",
    {
      objects: [],
      unread: [
        { kind: "Pod", why: "pods is forbidden" },
        { kind: "Secret", why: "secrets is forbidden" },
      ],
    },
    `warning: Namespace tools is deleted, but qvs can't list all objects in it
  Objects of these kinds outside this deployment might be deleted with it: Pod, Secret. pods is forbidden; the same or similar for 1 more`,
  ],
])("a Namespace is deleted with %s", (_, holds, expected) => {
  const before = "appSetup/tools: {apiVersion: v1, kind: Namespace, metadata: {name: tools}}\n";
  const holdings = new Map([[toolsKey, holds]]);
  const allowDelete = ["Namespace", "everything"];
  const plan = requirePlan({ before, declared: "", allowDelete, holdings });
  expect(told(deletesOutsideObjects, plan, {})).toBe(expected);
});

const invalid = (message: string) =>
  refused("invalid", 422, `Pod "web-x7k2p" is invalid: ${message}`);
const denied = (message: string) =>
  refused("forbidden", 403, `pods "web-x7k2p" is forbidden: ${message}`);

test.each([
  [
    "",
    invalid("spec.x: Forbidden"),
    "error: Deployment shop/web: the API server would reject its Pods\n  spec.x: Forbidden",
  ],
  ["", denied('violates PodSecurity "baseline:latest": hostNetwork'), "error"],
  // This deployment changes nothing of what it says: the label is as before.
  [
    "app/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
    denied('violates PodSecurity "baseline:latest": hostNetwork'),
    "error",
  ],
  ["", denied("maximum cpu usage per Container is 1, but limit is 2"), "error"],
  [
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: a}}",
    denied("maximum cpu usage per Container is 1, but limit is 2"),
    "error",
  ],
  [
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Container, default: {cpu: 1}}]}}",
    denied("failed quota: small: must specify requests.cpu for: web"),
    "",
  ],
  [
    "app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Container, min: {cpu: 1}, default: {cpu: 4}}]}}",
    denied("failed quota: small: must specify limits.cpu for: web"),
    "error: Deployment shop/web: the API server would reject its Pods\n  minimum cpu usage per Container is 1, but request is 100m",
  ],
  ["", denied("failed quota: small: must specify requests.cpu for: web"), "error"],
  ["", denied("exceeded quota: small, requested: pods=1"), ""],
  ["", denied('error looking up service account shop/web: serviceaccount "web" not found'), ""],
  ["", denied("no PriorityClass with name high was found"), "error"],
  [
    "app/high: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}}",
    denied("no PriorityClass with name high was found"),
    "",
  ],
  [
    "",
    denied(
      "conflict: runtimeClass.scheduling.nodeSelector[pool] = b; pod.spec.nodeSelector[pool] = a",
    ),
    "error",
  ],
  [
    "",
    denied("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"),
    "error",
  ],
  [
    "",
    denied(
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name",
    ),
    "error",
  ],
  ["", refused("forbidden", 403, 'admission webhook "w" denied the request: no'), "warning"],
  ["", refused("invalid", 400, 'admission webhook "w" does not support dry run'), ""],
  ["", refused("forbidden", 403, forbidden("create", "pods")), ""],
  ["", refused("other", 500, "Internal error"), ""],
])("beside %j, the refusal %j of a Pod", (besides, answer, expected) => {
  const declared = `${workload("Deployment", rolling("1", "0"))}\n${besides}`;
  const samplePods = new Map([["apps:Deployment::shop/web", answer]]);
  const found = told(rejectedPods, requirePlan({ declared }), { samplePods });
  expect(expected.includes("\n") ? found : found.split(":")[0]).toBe(expected);
});

test("of what waits for no Pod a refusal is a warning", () => {
  const declared = workload("Deployment", "paused: true");
  const samplePods = new Map([["apps:Deployment::shop/web", invalid("spec.x: Forbidden")]]);
  expect(told(rejectedPods, requirePlan({ declared }), { samplePods })).toContain("warning: ");
});

test.each([
  [nodesOf("{}", tainted), "error"],
  [nodesOf(tainted), "warning"],
  [nodesOf(), "warning"],
  [{ known: false, why: "forbidden" } as const, "error"],
])(
  "of a DaemonSet that no node is for, what keeps its Pods away is a warning (%#)",
  (nodes, expected) => {
    const severityOf = (found: string) => found.split(":")[0];
    const declared = workload("DaemonSet", "").replaceAll("web:1", "Web:1");
    const samplePods = new Map([["apps:DaemonSet::shop/web", invalid("spec.x: Forbidden")]]);
    const plan = requirePlan({ declared });
    expect(severityOf(told(rejectedPods, plan, { samplePods, nodes }))).toBe(expected);
    expect(severityOf(told(invalidImage, plan, { nodes }))).toBe(expected);
  },
);

test("a rollout that stays as it is pauses no more, whatever its controller has filled in", () => {
  const declared = workload("Rollout", "strategy: {canary: {steps: [{pause: {}}]}}");
  const filled = declare(declared).map((desired): readonly [string, KubeObject] => {
    const live = applied(desired);
    const spec = { ...(live["spec"] as object), template: { filled: "in" } };
    return [desired.key, { ...live, spec, status: { phase: "Healthy" } }];
  });
  const plan = requirePlan({ before: old + declared, declared });
  const [, live] = filled[0] ?? [];
  const changes = plan.changes.map((change) => ({ ...change, live }));
  expect(predictDeletions({ ...plan, changes }, noFacts, "deploy").kept).toEqual([]);
});

/** The fields that findings are about. */
function fieldsTold(rule: PreflightRule, plan: Plan, facts: Partial<ClusterFacts>): string {
  const releases = { declared: new Set<string>() };
  const found = rule({ plan, facts: { ...noFacts, ...facts }, releases, placeOf: () => undefined });
  return found.map(({ path = [] }) => path.join(".")).join(", ");
}

const container = "spec.template.spec.containers.0";

test.each([
  ["{hard: {requests.cpu: 250m}}", `${container}.resources.requests.cpu`],
  ["{hard: {cpu: 250m}}", `${container}.resources.requests.cpu`],
  ["{hard: {pods: 2}}", "spec.replicas"],
  ["{hard: {count/deployments.apps: 0}}", ""],
])("what exceeds the quota %s is the field %s", (hard, expected) => {
  const plan = requirePlan({ declared: workload("Deployment", "") });
  expect(fieldsTold(quotaExceeded, plan, { quotas: quota(hard, "{}") })).toBe(expected);
});

test("an image without a version is told at its container", () => {
  const plan = requirePlan({ declared: workload("Deployment", "", "web") });
  expect(fieldsTold(imageNotPinned, plan, {})).toBe(`${container}.image`);
});

test("a missing dependency is told where it is named", () => {
  const declared = workload("Deployment", "").replace(
    "containers: [{name: web,",
    "containers: [{name: web, envFrom: [{configMapRef: {name: gone}}],",
  );
  const dependencies = new Map([
    ["core:ConfigMap::shop/gone", { known: true, value: { exists: false } } as const],
  ]);
  const plan = requirePlan({ declared });
  expect(fieldsTold(missingDependency, plan, { dependencies })).toBe(
    `${container}.envFrom.0.configMapRef`,
  );
});

const behindService = (selector: string, labels: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: ${labels}}, spec: {containers: [{name: web, image: "web:1"}]}}}
app/service: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: ${selector}}}
`;

test.each([
  ["whose Pods keep their labels", "{app: web}", "{app: web, tier: front}", ""],
  [
    "whose Pods get other labels",
    "{app: web}",
    "{app: shop}",
    `warning: Service shop/web selects none of the new Pods
  It selects app=web, but no Pod template of this deployment has these labels. After the old Pods are deleted, it reaches no Pods`,
  ],
  [
    "that changes together with its Pods",
    "{app: web, tier: front}",
    "{app: web, tier: front}",
    `warning: Service shop/web has no endpoints until new Pods are ready
  Its selector changes together with the labels of the Pods, and no old Pod has app=web, tier=front. Until then, requests to it fail`,
  ],
  ["without a selector", "{}", "{app: shop}", ""],
])("a Service %s", (_, selector, labels, expected) => {
  const plan = requirePlan({
    before: behindService("{app: web}", "{app: web}"),
    declared: behindService(selector, labels),
  });
  expect(told(serviceWithoutEndpoints, plan, {})).toBe(expected);
});

/** The fixes of a Service that has no endpoints for some time. */
function fixesFor(before: string, declared: string): readonly string[] {
  const plan = requirePlan({ before, declared });
  const releases = { declared: new Set<string>() };
  const input = { plan, facts: noFacts, releases, placeOf: () => undefined };
  return serviceWithoutEndpoints(input).map(({ fix }) => fix);
}

test("a Service keeps its endpoints if its Pods first have the labels of both selectors", () => {
  const [before, both] = ["{app: web}", "{app: web, tier: front}"];
  expect(fixesFor(behindService(before, before), behindService(both, both))).toEqual([
    "First deploy Pods that have both the old and the new labels (app=web, tier=front), and leave the selector unchanged. Change the selector in a later deployment. Or make sure that no one needs the Service until then",
  ]);
  expect(fixesFor(behindService(before, before), behindService(before, both))).toEqual([]);
  expect(fixesFor(behindService(before, both), behindService(both, both))).toEqual([]);
});

const green = `
app/green:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: green}
  spec: {replicas: COUNT, selector: {matchLabels: {app: green}}, template: {metadata: {labels: {app: green}}, spec: {containers: [{name: web, image: "web:1"}]}}}
`;

test("a Pod can't have two values of a label, so its Service first needs other Pods", () => {
  const web = behindService("{app: web}", "{app: web}");
  const switched = behindService("{app: green}", "{app: web}");
  const running = green.replace("COUNT", "2");
  const inSteps =
    "First deploy the new Pods in a Deployment with another name, keep the old Pods, and leave the selector unchanged. Change the selector and remove the old Pods in a later deployment. Or make sure that no one needs the Service until then";
  expect(fixesFor(web, switched + running)).toEqual([inSteps]);
  expect(fixesFor(web, web + running)).toEqual([]);
  expect(fixesFor(web + running, switched + running)).toEqual([]);
  expect(fixesFor(web + green.replace("COUNT", "0"), switched + running)).toEqual([inSteps]);
});

test.each([
  ["has the name", "ports: [{name: http, containerPort: 80}]", "http", ""],
  [
    "has another name",
    "ports: [{name: web, containerPort: 80}]",
    "http",
    'error: Deployment shop/web: readinessProbe of container web refers to missing port "http"\n  Its Pods never become ready. Named ports of the container: web',
  ],
  ["is asked by its number", "ports: [{name: web, containerPort: 80}]", "80", ""],
  [
    "of another container has the name",
    "ports: []}, {name: beside, image: 'a:1', ports: [{name: http, containerPort: 80}]",
    "http",
    'error: Deployment shop/web: readinessProbe of container web refers to missing port "http"\n  Its Pods never become ready. Named ports of the container: none',
  ],
])("a port that a probe asks for: one %s", (_, ports, port, expected) => {
  const container = `{name: web, image: "web:1", readinessProbe: {httpGet: {port: ${port}}}, ${ports}}`;
  const plan = requirePlan({ declared: withPods(`containers: [${container}]`) });
  expect(told(unknownPort, plan, {})).toBe(expected);
});

test("what else asks a port by its name", () => {
  const asks = (path: string) => path.replace("PORT", "{tcpSocket: {port: http}}");
  const each = [
    asks("startupProbe: PORT"),
    asks("livenessProbe: PORT"),
    asks("lifecycle: {postStart: PORT}"),
    asks("lifecycle: {preStop: PORT}"),
  ].map((asker, index) => `{name: c${index}, image: "web:1", ${asker}}`);
  const init = '{name: before, image: "a:1", readinessProbe: {httpGet: {port: http}}}';
  const sidecar =
    '{name: beside, image: "a:1", restartPolicy: Always, startupProbe: {httpGet: {port: http}}}';
  const declared = withPods(`initContainers: [${init}, ${sidecar}], containers: [${each}]`);
  const asked = told(unknownPort, requirePlan({ declared }), {});
  const parts = [...asked.matchAll(/(\S+) of container (\S+) .*\n {2}([^.]*)\./g)];
  expect(parts.map(([, ...part]) => part.join(" "))).toEqual([
    "startupProbe beside Its Pods never become ready",
    "startupProbe c0 Its Pods never become ready",
    "livenessProbe c1 The probe never runs",
    "lifecycle.postStart c2 The container is killed after each start",
  ]);
});

test.each([
  ["has the name", "http", "{app: web}", ""],
  [
    "has another name",
    "web",
    "{app: web}",
    `warning: Service shop/web: port 80 refers to missing target port "http"\n  Requests to this port don't reach the Pods. Named ports of Deployment shop/web: web`,
  ],
  ["of others has another name", "web", "{app: other}", ""],
])("a port that a Service leads to: one %s", (_, name, selector, expected) => {
  const pods = withPods(
    `containers: [{name: web, image: "web:1", ports: [{name: ${name}, containerPort: 80}]}]`,
  );
  const service = `app/it: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: ${selector}, ports: [{port: 80, targetPort: http}]}}`;
  expect(told(unknownPort, requirePlan({ declared: `${pods}\n${service}` }), {})).toBe(expected);
});

test("a Service that never selected Pods of this deployment is none of its business", () => {
  const plan = requirePlan({
    before: behindService("{app: other}", "{app: web}"),
    declared: behindService("{app: other}", "{app: shop}"),
  });
  expect(told(serviceWithoutEndpoints, plan, {})).toBe("");
});

describe("an image that no node can parse", () => {
  const found = (situation: Situation) =>
    invalidImage({
      plan: requirePlan(situation),
      facts: noFacts,
      releases: { declared: new Set() },
      placeOf: () => undefined,
    }).map(({ severity, what, path }) => [severity, what, path?.join(".")]);
  const pods = (image: string) => withPods(`containers: [{name: web, image: "${image}"}]`);
  const at = "spec.template.spec.containers.0.image";

  test("is an error, at its field", () => {
    const what = 'Deployment shop/web: no node can pull "Web:1"';
    expect(found({ declared: pods("Web:1") })).toEqual([["error", what, at]]);
  });

  test("fails again where it has failed before", () => {
    const changed = pods("Web:1").replace("app: web", "app: shop");
    const what = 'Deployment shop/web: no node can pull "Web:1"';
    expect(found({ before: pods("Web:1"), declared: changed })).toEqual([["error", what, at]]);
  });

  test("is a warning where old Pods stay until somebody deletes them", () => {
    const set = (image: string) =>
      pods(image)
        .replace("kind: Deployment", "kind: StatefulSet")
        .replace("spec:", "spec:\n    updateStrategy: {type: OnDelete}");
    const [[severity] = []] = found({ before: set("web:1"), declared: set("Web:2") });
    expect(severity).toBe("warning");
  });

  test("is none where admission puts another in its place, or no Pod is made", () => {
    const plan = requirePlan({ declared: pods("Web:1") });
    const pod = parse(
      "{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [{name: web, image: web}]}}",
    );
    const samplePods = new Map([["apps:Deployment::shop/web", { ok: true, value: pod } as const]]);
    const facts = { ...noFacts, samplePods };
    const releases = { declared: new Set<string>() };
    expect(invalidImage({ plan, facts, releases, placeOf: () => undefined })).toEqual([]);
    const template =
      "app/web: {apiVersion: v1, kind: PodTemplate, metadata: {name: web}, template: {spec: {containers: [{name: web, image: Web}]}}}";
    expect(found({ declared: template })).toEqual([]);
  });

  test.each([
    ["of an idle workload", pods("Web:1").replace("spec:", "spec:\n    replicas: 0"), "warning"],
    ["whose name is known later", pods(`web:${knownAfterDeploy}`), undefined],
    ["that the server refuses in every Pod", pods(" "), undefined],
    ["that is fine", pods("registry.example/team/web:1"), undefined],
  ])("%s: %#", (_, declared, severity) => {
    expect(found({ declared }).map(([first]) => first)).toEqual(
      severity === undefined ? [] : [severity],
    );
  });
});

const services = (one: string, other: string) => `
app/one: {apiVersion: v1, kind: Service, metadata: {name: one}, spec: ${one}}
app/other: {apiVersion: v1, kind: Service, metadata: {name: other}, spec: ${other}}
`;
const definitions = (one: string, other: string) => `
app/one: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: one}, spec: ${one}}
app/other: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: other}, spec: ${other}}
`;
const pair = (apiVersion: string, kind: string, rest: string) => `
app/one: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: one}, ${rest}}
app/other: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: other}, ${rest}}
`;
const port = (nodePort: number, more = "") => `{ports: [{port: 80, nodePort: ${nodePort}${more}}]}`;
const names = (group: string, text: string) => `{group: ${group}, names: ${text}}`;
const givenToFirst = "The API server gives it to the first object, and rejects the other object";
const oneOfAGroup =
  "The API server accepts each name in a group for one CustomResourceDefinition only, and never serves the kind of the other";
const both = (claim: string) => `error: Service shop/other and Service shop/one both claim ${claim}
  ${givenToFirst}`;
const bothDefine = (claim: string) =>
  `error: CustomResourceDefinition other and CustomResourceDefinition one both claim ${claim}
  ${oneOfAGroup}`;

test.each([
  ["one node port", services(port(30080), port(30080)), both("the node port 30080")],
  [
    "one node port for two protocols",
    services(port(30080), port(30080, ", protocol: UDP")),
    both("the node port 30080"),
  ],
  [
    "a node port and one for health checks",
    services(port(30080), "{healthCheckNodePort: 30080}"),
    both("the node port 30080"),
  ],
  ["two node ports", services(port(30080), port(30081)), ""],
  [
    "one node port for two ports of one Service",
    services("{ports: [{nodePort: 30080}, {nodePort: 30080, protocol: UDP}]}", "{}"),
    "",
  ],
  [
    "one address",
    services("{clusterIP: 10.0.0.9}", "{clusterIPs: [10.0.0.9]}"),
    both("the address 10.0.0.9"),
  ],
  ["no address", services("{clusterIP: None}", "{clusterIP: None}"), ""],
  [
    "one kind",
    definitions(
      names("a.example", "{kind: Foo, plural: foos}"),
      names("a.example", "{kind: Foo, plural: fooz}"),
    ),
    bothDefine("the kind Foo of a.example"),
  ],
  [
    "one kind of two groups",
    definitions(
      names("a.example", "{kind: Foo, plural: foos}"),
      names("b.example", "{kind: Foo, plural: foos}"),
    ),
    "",
  ],
  [
    "a short name and a singular",
    definitions(
      names("a.example", "{kind: Foo, plural: foos}"),
      names("a.example", "{kind: Bar, plural: bars, shortNames: [foo]}"),
    ),
    bothDefine("the resource foo of a.example"),
  ],
  [
    "one volume",
    pair("v1", "PersistentVolumeClaim", "spec: {volumeName: data}"),
    `error: PersistentVolumeClaim shop/other and PersistentVolumeClaim shop/one both claim PersistentVolume data
  A PersistentVolume is bound to the first PersistentVolumeClaim, and the other claim waits for it`,
  ],
  ["no volume", pair("v1", "PersistentVolumeClaim", "spec: {}"), ""],
  [
    "to be the default",
    pair("scheduling.k8s.io/v1", "PriorityClass", "globalDefault: true"),
    `error: PriorityClass other and PriorityClass one both claim to be the default PriorityClass
  A cluster has only one, and the API server rejects the other`,
  ],
  ["not to be it", pair("scheduling.k8s.io/v1", "PriorityClass", "globalDefault: false"), ""],
])("what two objects claim: %s", (_, declared, expected) => {
  expect(told(exclusiveValueConflict, requirePlan({ declared }), {})).toBe(expected);
});

test("what is claimed beside an object that changes, and by a deployment that goes first", () => {
  const before = services(port(30080), port(30081));
  const swapped = services(port(30082), port(30082));
  const changed = requirePlan({ before, declared: swapped });
  expect(told(exclusiveValueConflict, changed, {})).toBe(both("the node port 30082"));
  // The dry-run of the other is refused by what the first one has and keeps.
  const kept = requirePlan({ before, declared: services(port(30080), port(30080)) });
  expect(told(exclusiveValueConflict, kept, {})).toBe("");
  const [first] = requirePlan({ declared: services(port(30080), "{}") }).changes;
  const later = requirePlan({
    declared: services(port(30080), "{}").split("app/other")[0]?.replaceAll("one", "two") ?? "",
  });
  if (first === undefined) throw new Error("nothing planned");
  expect(
    told(exclusiveValueConflict, later, { upstreamChanges: [{ ...first, deployment: "base" }] }),
  ).toContain("Service shop/two and Service shop/one both claim the node port 30080");
});

const foos = { group: "a.example", kind: "Foo", plural: "foos", names: ["foo", "fo"] };
const brought = (text: string, name = "bars.a.example") =>
  `app/one: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ${name}}, spec: ${names("a.example", text)}}`;
const hasThem = (claim: string) =>
  `error: CustomResourceDefinition bars.a.example and CustomResourceDefinition foos.a.example both claim ${claim} of a.example
  ${oneOfAGroup}`;

test.each([
  ["kind", brought("{kind: Foo, plural: bars}"), hasThem("the kind Foo")],
  ["kind of lists", brought("{kind: FooList, plural: bars}"), hasThem("the kind FooList")],
  ["short name", brought("{kind: B, plural: bars, shortNames: [fo]}"), hasThem("the resource fo")],
  ["singular", brought("{kind: B, plural: bars, singular: foo}"), hasThem("the resource foo")],
  ["nothing", brought("{kind: B, plural: bars}"), ""],
  ["nothing but its own names", brought("{kind: Foo, plural: foos}", "foos.a.example"), ""],
])("a definition that comes takes from one that is there: %s", (_, declared, expected) => {
  expect(told(exclusiveValueConflict, requirePlan({ declared }), { kinds: [foos] })).toBe(expected);
});

const selecting = (selector: string, kind: string, replicas = 2) => `
app/web:
  apiVersion: ${kind === "Job" ? "batch/v1" : "apps/v1"}
  kind: ${kind}
  metadata: {name: db}
  spec: {replicas: ${replicas}, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:1"}]}}}
app/service: {apiVersion: v1, kind: Service, metadata: {name: db}, spec: {selector: ${selector}}}
`;
const podName = "statefulset.kubernetes.io/pod-name";
const podIndex = "apps.kubernetes.io/pod-index";

test.each([
  ["StatefulSet", `{${podName}: db-0}`, true],
  ["StatefulSet", `{app: db, ${podName}: db-1}`, true],
  ["StatefulSet", `{app: db, ${podName}: db-2}`, false],
  ["StatefulSet", `{${podName}: other-0}`, false],
  ["StatefulSet", `{app: db, ${podIndex}: "1"}`, true],
  ["StatefulSet", `{app: db, ${podIndex}: "2"}`, false],
  ["StatefulSet", "{app: db, controller-revision-hash: db-abc}", true],
  ["StatefulSet", "{app: db, pod-template-hash: abc}", false],
  ["Deployment", "{app: db, pod-template-hash: abc}", true],
  ["Deployment", "{app: shop, pod-template-hash: abc}", false],
  ["Deployment", `{${podName}: db-0}`, false],
  ["DaemonSet", "{app: db, controller-revision-hash: abc}", true],
  ["Job", "{job-name: db}", true],
  ["Job", "{batch.kubernetes.io/job-name: other}", false],
])("a Service in front of a %s that now selects %s has endpoints: %s", (kind, selector, has) => {
  const plan = requirePlan({
    before: selecting("{app: db}", kind),
    declared: selecting(selector, kind),
  });
  const finding = told(serviceWithoutEndpoints, plan, {});
  expect(finding === "" ? "" : "lost").toBe(has ? "" : "lost");
});

test("a Service whose only Pod is scaled away has no endpoints", () => {
  const selector = `{${podName}: db-2}`;
  const plan = requirePlan({
    before: selecting(selector, "StatefulSet", 3),
    declared: selecting(selector, "StatefulSet", 2),
  });
  expect(told(serviceWithoutEndpoints, plan, {})).toContain("selects none of the new Pods");
});

const counting = (apiVersion: string, kind: string, more: string, image: string) => `
app/web:
  apiVersion: ${apiVersion}
  kind: ${kind}
  metadata: {name: web}
  spec: {${more}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "${image}"}]}}}
`;

test.each([
  ["apps/v1", "ReplicaSet", "replicas: 2", "web:2", true],
  ["v1", "ReplicationController", "replicas: 2", "web:2", true],
  ["apps/v1", "ReplicaSet", "minReadySeconds: 5", "web:1", false],
  ["apps/v1", "ReplicaSet", "replicas: 0", "web:2", false],
  ["apps/v1", "Deployment", "replicas: 2", "web:2", false],
])(
  "%s %s with %s and the image %s leaves its Pods as they are: %s",
  (version, kind, more, image, stay) => {
    const before = counting(version, kind, more.replace("minReadySeconds", "replicas"), "web:1");
    const plan = requirePlan({ before, declared: counting(version, kind, more, image) });
    expect(told(oldPodsRemain, plan, {})).toBe(
      stay
        ? `warning: ${kind} shop/web: its running Pods keep the old template
  A ${kind} doesn't replace Pods: only Pods that it creates later get the new template. The deployment doesn't wait for new Pods`
        : "",
    );
  },
);

test.each<[string, string, string, string | undefined, string, string]>([
  [
    "its manifest pauses it",
    "apps/v1",
    "Deployment",
    "paused: true",
    "{}",
    `note: Deployment shop/web is paused, and its Pods keep the old template until it is resumed
  Its manifest sets spec.paused: true. The deployment doesn't wait for new Pods`,
  ],
  [
    "somebody has paused it",
    "apps/v1",
    "Deployment",
    undefined,
    "{f:spec: {f:paused: {}}}",
    `warning: Deployment shop/web is paused, and this deployment waits for it
  spec.paused is set in the cluster by kubectl-rollout since 2026-11-19T09:30:00Z, but isn't declared. The deployment waits until it is resumed, and fails after --timeout`,
  ],
  [
    "nobody knows who has paused it",
    "argoproj.io/v1alpha1",
    "Rollout",
    undefined,
    "{}",
    `warning: Rollout shop/web is paused, and this deployment waits for it
  spec.paused is set in the cluster, but isn't declared. The deployment waits until it is resumed, and fails after --timeout`,
  ],
])(
  "a new template does not reach the Pods where %s",
  (_, version, kind, declared, owned, expected) => {
    const more = ["replicas: 2", ...(declared === undefined ? [] : [declared])].join(", ");
    const before = counting(version, kind, "replicas: 2", "web:1");
    const now = requirePlan({ before, declared: counting(version, kind, more, "web:2") });
    const owner = { manager: "kubectl-rollout", operation: "Update", time: "2026-11-19T09:30:00Z" };
    const paused = (image: string) => {
      const changes = now.changes.map((change) => ({
        ...change,
        live: change.live && {
          ...change.live,
          metadata: {
            ...change.live.metadata,
            managedFields: [{ ...owner, fieldsV1: parse(owned) }],
          },
        },
        predicted: JSON.parse(
          JSON.stringify(change.desired)
            .replace('"spec":{', '"spec":{"paused":true,')
            .replace("web:2", image),
        ),
      }));
      return told(rolloutPaused, { ...now, changes } as Plan, {});
    };
    expect(paused("web:2")).toBe(expected);
    expect(paused("web:1")).toBe(declared === undefined ? expected : "");
  },
);

test("a Deployment that is created paused makes no Pods", () => {
  const plan = requirePlan({
    declared: counting("apps/v1", "Deployment", "paused: true", "web:1"),
  });
  expect(told(rolloutPaused, plan, {})).toContain(
    "is paused, and creates no Pods until it is resumed",
  );
});

const blob = (length: number, of = "apiVersion: shop.example.com/v1, kind: Blob") =>
  `app/big: {${of}, metadata: {name: big}, spec: {text: "${"x".repeat(length)}"}}`;
const data = (key: string, bytes: number) =>
  `app/big: {apiVersion: v1, kind: ConfigMap, metadata: {name: big}, ${key}: {a: "${Buffer.alloc(bytes).toString("base64")}"}}`;

test.each([
  [
    "a custom resource of 1.6 MB",
    blob(1_600_000),
    "warning: Blob shop/big is too large to be stored",
  ],
  ["one of 1.5 MB", blob(1_500_000), ""],
  ["what is packed more closely", blob(1_600_000, "apiVersion: v1, kind: Pod"), ""],
  ["bytes of 1 MiB, which are longer in JSON", data("binaryData", 1024 * 1024), ""],
  [
    "keys whose owner is recorded besides",
    data("data", 1_200_000),
    "warning: ConfigMap shop/big is too large to be stored",
  ],
])("what etcd stores in one piece: %s", (_, declared, expected) => {
  expect(told(tooLarge, requirePlan({ declared }), {}).split("\n")[0]).toBe(expected);
});
