import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { applyPlan } from "../../../src/apply/apply-plan.ts";
import { describeFailures } from "../../../src/apply/failure/describe-failures.ts";
import { type OpenCluster, openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { connect } from "../../../src/io/kubernetes/kubeconfig/connect.ts";
import { ignoreChangesAnnotation, keepOnDeleteAnnotation } from "../../../src/model/annotations.ts";
import type { InventoryEntry } from "../../../src/model/deployments/release.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { finalInventory } from "../../../src/releases/inventory.ts";
import { checkPorts } from "../../support/check-ports.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import type { User } from "../../support/cluster/users.ts";
import { problemText } from "../../support/plan/declare.ts";
import { planAgainst } from "../../support/plan/observe.ts";

/** Tests undeclared objects that live objects still refer to. */
const control = useCluster();
const opened: OpenCluster[] = [];
afterEach(() => {
  for (const cluster of opened.splice(0)) cluster.close();
});

async function clusterAs(user: User): Promise<OpenCluster> {
  const connection = await connect({ kubeconfig: { path: control.kubeconfigFor(user) }, env: {} });
  const cluster = openCluster(connection);
  opened.push(cluster);
  return cluster;
}

interface Deployments {
  readonly namespace: string;
  /** Plans and applies the declared manifests. Returns the results of the undeclared objects. */
  deploy(declared: string, cluster?: Cluster): Promise<string>;
  plan(declared: string): Promise<Plan>;
  apply(plan: Plan, cluster?: Cluster): Promise<string>;
}

/** Creates one deployment in its own namespace, which remembers the objects that it left behind. */
async function deployments(): Promise<Deployments> {
  const namespace = await control.namespace();
  const admin = await clusterAs("admin");
  let inventory: readonly InventoryEntry[] = [];

  async function plan(declared: string): Promise<Plan> {
    const place = { deployment: "test", namespace };
    const planned = (await planAgainst(admin, place, declared, inventory)).plan;
    if (!planned.ok) throw new Error(problemText(planned.problems));
    return planned.value;
  }

  async function apply(planned: Plan, cluster: Cluster = admin): Promise<string> {
    const never = new AbortController().signal;
    const clock = {
      now: () => new Date(),
      elapsed: () => performance.now(),
      sleep: (milliseconds: number) => sleep(milliseconds),
    };
    const progress = { report: () => {} };
    const world = { cluster, ...checkPorts, clock, progress, signal: never, lost: never };
    const result = await applyPlan(planned, world, { concurrency: 16, timeoutMs: 600_000 });
    expect(describeFailures(result)).toBe("");
    inventory = finalInventory(inventory, planned, result.results);
    return result.results
      .slice(planned.changes.length)
      .map(({ key, outcome, detail }) => `${key.replace(/^.*:/, "")} ${outcome}: ${detail}`)
      .join("\n")
      .replaceAll(`${namespace}/`, "");
  }

  const deploy = async (declared: string, cluster?: Cluster) =>
    apply(await plan(declared), cluster);
  return { namespace, plan, apply, deploy };
}

function configMap(name: string): string {
  return `\napp/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: b}}`;
}

function workload(kind: string, config: string, { spec = "", annotations = "" } = {}): string {
  return `${configMap(config)}
app/db:
  apiVersion: apps/v1
  kind: ${kind}
  metadata: {name: db, annotations: {${annotations}}}
  spec:
    replicas: 2
    ${kind === "StatefulSet" ? "serviceName: db" : ""}
    ${spec}
    selector: {matchLabels: {app: db}}
    template:
      metadata: {labels: {app: db}}
      spec: {containers: [{name: db, image: "shop/db:1", envFrom: [{configMapRef: {name: ${config}}}]}]}
`;
}

const onDelete = { spec: "updateStrategy: {type: OnDelete}" };

test("Pods with a manual update keep their ConfigMap until they are recreated", async () => {
  const { namespace, deploy } = await deployments();
  expect(await deploy(workload("StatefulSet", "first", onDelete))).toBe("");
  // qvs doesn't wait for a StatefulSet with manual updates.
  await control.kubectl("wait", "--for=create", "pod/db-1", "--timeout=600s", "-n", namespace);
  const second = workload("StatefulSet", "second", onDelete);
  expect(await deploy(second)).toBe("first kept: still used by Pod db-0, Pod db-1");
  expect(await deploy(second)).toBe("first kept: still used by Pod db-0, Pod db-1");
  await control.kubectl("delete", "pod", "db-0", "db-1", "-n", namespace);
  expect(await deploy(second)).toBe("first deleted: ");
});

test("Pods below the partition of a StatefulSet keep their ConfigMap", async () => {
  const { deploy } = await deployments();
  const upTo = (partition: number) => ({
    spec: `updateStrategy: {rollingUpdate: {partition: ${partition}}}`,
  });
  await deploy(workload("StatefulSet", "first", upTo(0)));
  expect(await deploy(workload("StatefulSet", "second", upTo(1)))).toBe(
    "first kept: still used by Pod db-0",
  );
  expect(await deploy(workload("StatefulSet", "second", upTo(0)))).toBe("first deleted: ");
});

test("a template with ignored changes keeps the objects that it names", async () => {
  const { deploy } = await deployments();
  const annotations = `${ignoreChangesAnnotation}: spec.template`;
  await deploy(workload("Deployment", "first", { annotations }));
  expect(await deploy(workload("Deployment", "second", { annotations }))).toMatch(
    /^first kept: still used by Pod db-\S+, Pod db-\S+, Deployment db and 1 more$/,
  );
});

test("an object and its only user are deleted in one run", async () => {
  const { namespace, deploy } = await deployments();
  await deploy(workload("Deployment", "first") + configMap("other"));
  expect(await deploy(configMap("other"))).toBe("db deleted: \nfirst deleted: ");
  const left = await control.kubectl("get", "deploy,rs,pod,cm", "-n", namespace, "-o=name");
  expect(left.trim().split("\n")).toEqual(["configmap/kube-root-ca.crt", "configmap/other"]);
});

test("a ConfigMap is deleted after the terminating Pods that use it have ended", async () => {
  const { namespace, deploy } = await deployments();
  const pods = `metadata: {labels: {app: db}, annotations: {test.qvs/shutdown: 12s}}`;
  const slow = (config: string) =>
    workload("Deployment", config).replace("metadata: {labels: {app: db}}", pods);
  await deploy(slow("first"));
  const admin = await clusterAs("admin");
  let terminating: string | undefined;
  const observed: Cluster = {
    ...admin,
    async delete(...object) {
      const listed = await admin.list("v1", "Pod", namespace);
      const items = listed.ok ? listed.value.items : [];
      const deleted = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      terminating = deleted.map(({ metadata }) => metadata.name).join(", ");
      return admin.delete(...object);
    },
  };
  expect(await deploy(slow("second"), observed)).toBe("first deleted: ");
  expect(terminating).toBe("");
});

test("an identity that isn't allowed to list Pods deletes no ConfigMap and succeeds", async () => {
  const { namespace, deploy } = await deployments();
  await control.apply(namespace, mayWriteConfigMaps);
  await deploy(configMap("first") + configMap("other"));
  const deployer = await clusterAs("deployer");
  expect(await deploy(configMap("other"), deployer)).toMatch(
    /^first kept: qvs can't find out whether it is still used: pods is forbidden: User "deployer" cannot list/,
  );
  expect(await deploy(configMap("other"))).toBe("first deleted: ");
});

const mayWriteConfigMaps = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: deployer}
rules: [{apiGroups: [""], resources: [configmaps], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: deployer}]
`;

test("a ConfigMap that was protected manually after the planning is kept", async () => {
  const { namespace, plan, apply, deploy } = await deployments();
  await deploy(configMap("first") + configMap("other"));
  const planned = await plan(configMap("other"));
  const annotate = ["annotate", "configmap", "first", "-n", namespace];
  await control.kubectl(...annotate, `${keepOnDeleteAnnotation}=by-hand`);
  expect(await apply(planned)).toBe(
    "first kept: changed after the plan was made: key by-hand, revision 0",
  );
  await control.kubectl(...annotate, `${keepOnDeleteAnnotation}-`);
  expect(await deploy(configMap("other"))).toBe("first deleted: ");
});

test("a ConfigMap that is protected manually just before its deletion is kept", async () => {
  const { namespace, plan, apply, deploy } = await deployments();
  await deploy(configMap("first") + configMap("other"));
  const admin = await clusterAs("admin");
  let requests = 0;
  const slow: Cluster = {
    ...admin,
    async delete(...object) {
      requests += 1;
      const key = `${keepOnDeleteAnnotation}=by-hand`;
      await control.kubectl("annotate", "configmap", "first", "-n", namespace, key);
      return admin.delete(...object);
    },
  };
  expect(await apply(await plan(configMap("other")), slow)).toBe(
    "first kept: changed after the plan was made: key by-hand, revision 0",
  );
  expect(requests).toBe(1);
});
