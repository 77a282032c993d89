import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { applyPlan } from "../../../src/apply/apply-plan.ts";
import { describeFailures } from "../../../src/apply/failure/describe-failures.ts";
import type { ApplyResult } from "../../../src/apply/summarize-run.ts";
import { type OpenCluster, openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { connect } from "../../../src/io/kubernetes/kubeconfig/connect.ts";
import { deploymentLabel } from "../../../src/model/annotations.ts";
import type { DeployEvent } from "../../../src/model/deployments/event.ts";
import { type Json, textAt } from "../../../src/model/json.ts";
import { idOf, isKubeObject, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { Deletion } from "../../../src/model/plan/deletion.ts";
import type { Change, Plan } from "../../../src/model/plan/plan.ts";
import { checkPorts } from "../../support/check-ports.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";

const control = useCluster();
let cluster: OpenCluster;

beforeAll(async () => {
  cluster = openCluster(await connect({ kubeconfig: { path: control.kubeconfig }, env: {} }));
});
afterAll(() => cluster.close());

interface Outcome {
  readonly result: ApplyResult;
  readonly events: readonly DeployEvent[];
}

async function apply(plan: Plan, timeoutMs = 600_000): Promise<Outcome> {
  const events: DeployEvent[] = [];
  const never = new AbortController().signal;
  const clock = {
    now: () => new Date(),
    elapsed: () => performance.now(),
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
  };
  const progress = { report: (event: DeployEvent) => void events.push(event) };
  const world = { cluster, ...checkPorts, clock, progress, signal: never, lost: never };
  return { result: await applyPlan(plan, world, { concurrency: 16, timeoutMs }), events };
}

/** Plans the objects of YAML documents, each one after the previous one. */
async function planOf(namespace: string, yaml: string, deletions: Deletion[] = []): Promise<Plan> {
  const documents: Json[] = parseAllDocuments(yaml).map((document) => document.toJS());
  const changes: Change[] = [];
  for (const object of documents.filter(isKubeObject)) {
    changes.push(await changeFor(within(object, namespace), changes.at(-1)?.key));
  }
  return { deployment: "test", namespace, changes, deletions, kept: [], notices: [], digest: "" };
}

function within(object: KubeObject, namespace: string): KubeObject {
  const clusterScoped = object.kind === "CustomResourceDefinition" || object.kind === "Namespace";
  const labels = { [deploymentLabel]: "test" };
  return clusterScoped
    ? object
    : { ...object, metadata: { namespace, labels, ...object.metadata } };
}

async function changeFor(desired: KubeObject, before: string | undefined): Promise<Change> {
  const id = idOf(desired);
  const answer = await cluster.read({ apiVersion: desired.apiVersion, ...id });
  const live = answer.ok ? answer.value : undefined;
  return {
    key: keyOf(id),
    id,
    stage: "app",
    resource: id.name,
    action: live === undefined ? "create" : "update",
    steps: [{ type: "apply" }],
    desired,
    live,
    predicted: undefined,
    certainty: { by: "server" },
    after: before === undefined ? [] : [{ on: before, reason: "it comes later in the file" }],
  };
}

async function deletionOf(apiVersion: string, kind: string, namespace: string, name: string) {
  const answer = await cluster.read({ apiVersion, kind, namespace, name });
  if (!answer.ok || answer.value === undefined) throw new Error(`no ${kind} ${name}`);
  const live = answer.value;
  const id = idOf(live);
  const uid = textAt(live, "metadata", "uid") ?? "";
  return { key: keyOf(id), id, stage: "app", apiVersion, uid, live, after: [] } satisfies Deletion;
}

/** Returns a Deployment `web` that reads this ConfigMap and whose Pods have this behavior. */
function deployment({ behaviour = "slow", config = "first", deadline = 600 } = {}): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  progressDeadlineSeconds: ${deadline}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {test.qvs/behaviour: ${behaviour}, test.qvs/delay: 500ms}}
    spec:
      containers:
        - {name: web, image: "shop/web:1", envFrom: [{configMapRef: {name: ${config}}}]}
`;
}

function configMap(name: string): string {
  return `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: b}}\n---`;
}

describe("against a real control plane", () => {
  it("qvs waits until a Deployment, a StatefulSet, a DaemonSet and a Job are ready", async () => {
    const namespace = await control.namespace();
    const pod = `
    metadata: {labels: {app: APP}, annotations: {test.qvs/behaviour: slow, test.qvs/delay: 500ms}}
    spec: {containers: [{name: main, image: "shop/main:1"}]}`;
    const plan = await planOf(
      namespace,
      `${configMap("first")}${deployment()}---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: data}
spec:
  replicas: 2
  serviceName: data
  selector: {matchLabels: {app: data}}
  template: ${pod.replace("APP", "data")}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: ${pod.replace("APP", "agent")}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "shop/main:1"}]}}
`,
    );
    const { result, events } = await apply(plan);
    expect(describeFailures(result)).toBe("");
    const told = events.filter((e) => e.type === "applying" || e.type === "ready");
    expect(told.map((e) => `${e.type} ${e.key.split(":")[1]}`)).toEqual(
      ["ConfigMap", "Deployment", "StatefulSet", "DaemonSet", "Job"].flatMap((kind) => [
        `applying ${kind}`,
        `ready ${kind}`,
      ]),
    );
    const ready = "jsonpath={.items[*].status.readyReplicas}";
    const counts = await control.kubectl("get", "deploy,sts", "-n", namespace, `-o=${ready}`);
    expect(counts).toBe("2 2");
  });

  it("a renamed ConfigMap is created, then the Deployment is updated, and then the old ConfigMap is deleted", async () => {
    const namespace = await control.namespace();
    await apply(await planOf(namespace, `${configMap("first")}${deployment()}`));
    const old = await deletionOf("v1", "ConfigMap", namespace, "first");
    const next = `${configMap("second")}${deployment({ config: "second" })}`;
    const { result } = await apply(await planOf(namespace, next, [old]));
    expect(describeFailures(result)).toBe("");
    expect(result.results.map((r) => r.outcome)).toEqual(["created", "updated", "deleted"]);
    const writes = (await control.auditWrites(namespace)).slice(2);
    expect(writes.map((write) => write.replace(`${namespace}/`, ""))).toEqual([
      "patch ConfigMap second",
      "patch Deployment web",
      "delete ConfigMap first",
    ]);
  });

  it("a Deployment whose Pods are never ready keeps the old ConfigMap, and the report shows the reason", async () => {
    const namespace = await control.namespace();
    await apply(await planOf(namespace, `${configMap("first")}${deployment()}`));
    const old = await deletionOf("v1", "ConfigMap", namespace, "first");
    const next = `${configMap("second")}${deployment({ behaviour: "crash-loop", config: "second", deadline: 20 })}`;
    const { result, events } = await apply(await planOf(namespace, next, [old]));
    expect(result.results.map((r) => r.outcome)).toEqual(["created", "failed", "not attempted"]);
    expect(await control.kubectl("get", "cm", "-n", namespace, "-o=name")).toContain("first");
    const reasons = events.flatMap((e) => (e.type === "waiting" ? [e.why] : []));
    expect(reasons.at(-1)).toMatch(
      /new 1\/2, old 2, 2 of 3 Pods ready.*; Pod web-.*CrashLoopBackOff/,
    );
    expect(describeFailures(result)).toMatch(/ProgressDeadlineExceeded/);
    expect(describeFailures(result)).toMatch(/container web: CrashLoopBackOff.*exit code 1/);
    expect(describeFailures(result)).toMatch(/not deleted: ConfigMap .*first/);
  });

  it("a slow Deployment fails with the timeout and the message of its probe", async () => {
    const namespace = await control.namespace();
    const plan = await planOf(
      namespace,
      `${configMap("first")}${deployment({ behaviour: "never-ready" })}`,
    );
    const { result } = await apply(plan, 4000);
    expect(result.results[1]?.detail).toMatch(
      /^not ready after 4 s: new 2\/2, 0 ready; Pod web-.*: ContainersNotReady/,
    );
    expect(describeFailures(result)).toMatch(/Unhealthy: Readiness probe failed/);
    expect(describeFailures(result)).toMatch(/help: Check the readiness probe/);
  });

  it("a rollout that its own anti-affinity blocks is reported with the scheduler's message and the fix", async () => {
    const namespace = await control.namespace();
    const spread = (image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: spread}
spec:
  replicas: 3
  progressDeadlineSeconds: 20
  selector: {matchLabels: {app: spread}}
  template:
    metadata: {labels: {app: spread}}
    spec:
      containers: [{name: main, image: "${image}"}]
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: spread}}}
`;
    await apply(await planOf(namespace, spread("shop/main:1")));
    const { result } = await apply(await planOf(namespace, spread("shop/main:2")));
    expect(result.stillServing[0]).toMatch(/3\/3 available, 3 of the previous version/);
    const text = describeFailures(result);
    expect(text).toMatch(/scheduler: Unschedulable: 0\/\d nodes are available.*anti-affinity/);
    expect(text).toMatch(/help: Set maxUnavailable to 1 or more/);
  });

  it("a failed Job is reported immediately, with its container's exit code", async () => {
    const namespace = await control.namespace();
    const plan = await planOf(
      namespace,
      `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {test.qvs/behaviour: job-fails}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "shop/main:1"}]}`,
    );
    const { result } = await apply(plan);
    expect(describeFailures(result)).toMatch(
      /Job .*migrate.*: failed\n[\s\S]*status: +BackoffLimitExceeded/,
    );
    expect(describeFailures(result)).toMatch(/container main: exit code 1/);
  });

  it("an object that was replaced after the planning isn't changed", async () => {
    const namespace = await control.namespace();
    const first = await planOf(namespace, configMap("first"));
    await apply(first);
    const again = await planOf(namespace, configMap("first"));
    await control.kubectl("delete", "cm", "first", "-n", namespace);
    await control.kubectl("create", "cm", "first", "-n", namespace, "--from-literal=x=y");
    const { result } = await apply(again);
    expect(result.results[0]?.detail).toMatch(/deleted or replaced by another object/);
    await control.kubectl("delete", "cm", "first", "-n", namespace);
    const absent = await apply(again);
    expect(absent.result.results[0]?.detail).toMatch(/deleted or replaced by another object/);
  });

  it("an object that another tool created after the planning is shared, with a notice", async () => {
    const namespace = await control.namespace();
    const plan = await planOf(namespace, configMap("first"));
    await control.kubectl("create", "cm", "first", "-n", namespace, "--from-literal=x=y");
    const { result } = await apply(plan);
    expect(result.results[0]).toMatchObject({
      outcome: "created",
      detail: "kubectl-create created it after the plan was made; it is now shared",
    });
  });

  it("a custom resource is created immediately after its CustomResourceDefinition", async () => {
    const namespace = await control.namespace();
    const plan = await planOf(
      namespace,
      `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${namespace}s.acme.example}
spec:
  group: acme.example
  scope: Namespaced
  names: {plural: ${namespace}s, kind: Widget${namespace.replace(/\W/g, "")}}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: acme.example/v1
kind: Widget${namespace.replace(/\W/g, "")}
metadata: {name: one}
`,
    );
    const { result } = await apply(plan);
    expect(describeFailures(result)).toBe("");
    await control.kubectl("delete", "crd", `${namespace}s.acme.example`);
  });

  it("a finalizer that blocks a deletion is named", async () => {
    const namespace = await control.namespace();
    const held = `{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [acme.example/guard]}}`;
    await apply(await planOf(namespace, held));
    const deletion = await deletionOf("v1", "ConfigMap", namespace, "held");
    const plan = await planOf(namespace, "", [deletion]);
    const { result } = await apply(plan, 2000);
    expect(result.results[0]).toMatchObject({ outcome: "failed" });
    expect(result.results[0]?.detail).toMatch(/it waits for the finalizers .*acme\.example\/guard/);
    const patch = `{"metadata":{"finalizers":null}}`;
    await control.kubectl("patch", "cm", "held", "-n", namespace, "--type=merge", "-p", patch);
  });

  it("a blue/green Rollout at its pause succeeds and keeps the ConfigMap of its old Pods", async () => {
    const namespace = await control.namespace();
    // The plan leaves the selector of this Service to the controller, so this test applies it only
    // once.
    await apply(
      await planOf(namespace, `${configMap("first")}${activeService}${rollout("first")}`),
    );
    const old = await deletionOf("v1", "ConfigMap", namespace, "first");
    const next = await planOf(namespace, `${configMap("second")}${rollout("second")}`, [old]);
    const { result } = await apply(next);
    expect(describeFailures(result)).toBe("");
    expect(result.results.map((r) => `${r.outcome}: ${r.detail}`)).toEqual([
      "created: ",
      "updated: paused as planned (BlueGreenPause): promote it to continue",
      `kept: for now: Rollout ${namespace}/web is held back, and its old Pods might still use it`,
    ]);
  });
});

const activeService = `
apiVersion: v1
kind: Service
metadata: {name: active}
spec: {selector: {app: web}, ports: [{port: 80, protocol: TCP}]}
---`;

/** Returns a blue/green Rollout that a person must promote. */
function rollout(config: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  strategy: {blueGreen: {activeService: active, autoPromotionEnabled: false}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - {name: web, image: "shop/web:1", envFrom: [{configMapRef: {name: ${config}}}]}
`;
}
