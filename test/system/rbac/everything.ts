import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestAccount } from "../../support/cluster/service-account.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import { startApiProxy } from "../../support/servers/api-proxy.ts";

export interface Everything {
  readonly place: string;
  /** The namespace of the outside Pod that the Deployment waits for. */
  readonly outside: string;
  /** The hash suffix in names that change with each version. */
  readonly hash: string;
  /** More annotations of the Deployment's Pods. */
  readonly more?: string;
  readonly claim?: string;
}

/** Returns objects that together need each kind of permission of a deployment. */
export function everything({ place, outside, hash, more = "", claim = "shared" }: Everything) {
  const waits = `core:ConfigMap::${place}/kube-root-ca.crt,core:Pod::${outside}/theirs`;
  return `
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-${hash}}, data: {hash: "${hash}"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kept-v1, annotations: {vs.axis-dev.io/keepOnDelete: k}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: x}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: "${waits}"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {hash: "${hash}"${more}}}
    spec:
      volumes: [{name: data, persistentVolumeClaim: {claimName: ${claim}}}]
      containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: settings-${hash}}}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [endpoints], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: default}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${place}}
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]
`;
}

/**
 * Returns permissions that a correction doesn't use in these tests: this cluster serves no Gateway
 * API, and no object fails. The permissions for failures are the same as for a deployment, and the
 * test of `deploy` has a failure.
 */
export const unusedByCorrection = (place: string) => [
  `list events in ${place}`,
  `get pods/log in ${place}`,
];

/**
 * Returns an object that a Pod outside the deployment uses. It is kept when it is no longer
 * declared, together with its dependencies.
 */
export const last = (place: string) => {
  const others = [
    "core:ConfigMap::settings-11111111",
    "core:Secret::login",
    "core:Service::web",
    "core:PersistentVolumeClaim::data",
    "apps:Deployment::web",
    "rbac.authorization.k8s.io:RoleBinding::reader",
    "rbac.authorization.k8s.io:Role::reader",
  ].map((entry) => entry.replace("::", `::${place}/`));
  const waits = [...others, `rbac.authorization.k8s.io:ClusterRole::${place}`].join(",");
  return `---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: last, annotations: {vs.axis-dev.io/dependsOn: "${waits}"}}}\n`;
};

export const userOfLast = `{apiVersion: v1, kind: Pod, metadata: {name: user}, spec: {containers: [{name: a, image: "a:1", envFrom: [{configMapRef: {name: last}}]}]}}`;

/** The Pod outside the deployment that `everything` waits for. */
export interface OutsidePod {
  readonly outside: string;
  /** Recreates the Pod, so that it isn't ready yet. */
  recreate(): Promise<void>;
  /** Lets the Pod become ready. */
  makePodReady(): Promise<void>;
  /**
   * Returns a kubeconfig for an account. The Pod becomes ready only when it is watched through this
   * kubeconfig.
   */
  proxiedKubeconfig(account: TestAccount): Promise<string>;
}

/**
 * Creates the Pod. qvs watches only objects that aren't ready yet, and here that doesn't depend on
 * timing.
 */
export async function createOutsidePod(cluster: TestCluster): Promise<OutsidePod> {
  const outside = await cluster.namespace("theirs");
  const kubectl = (...args: readonly string[]) => cluster.kubectl("-n", outside, ...args);
  const gates = `[{"op": "remove", "path": "/spec/schedulingGates"}]`;
  const makePodReady = async () => {
    const gatesNow = await kubectl(
      "get",
      "pod",
      "theirs",
      "-o",
      "jsonpath={.spec.schedulingGates}",
    );
    if (gatesNow !== "") await kubectl("patch", "pod", "theirs", "--type=json", "-p", gates);
  };
  return {
    outside,
    async recreate() {
      const now = ["--ignore-not-found", "--grace-period=0", "--force"];
      await kubectl("delete", "pod", "theirs", ...now);
      await cluster.apply(
        outside,
        `{apiVersion: v1, kind: Pod, metadata: {name: theirs}, spec: {schedulingGates: [{name: test.qvs/held}], containers: [{name: a, image: "a:1"}]}}`,
      );
    },
    makePodReady,
    async proxiedKubeconfig(account) {
      const folder = mkdtempSync(join(tmpdir(), "rbac-"));
      const proxy = await startApiProxy(account.kubeconfig, folder, "rbac");
      proxy.setRule(({ text }) => (text === "watch pods" ? { before: makePodReady } : undefined));
      onTestFinished(async () => {
        await proxy.close();
        rmSync(folder, { recursive: true, force: true });
      });
      return proxy.kubeconfig;
    },
  };
}
