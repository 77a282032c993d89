import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestAccount } from "../../support/cluster/service-account.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import { startApiProxy } from "../../support/servers/api-proxy.ts";

export interface Everything {
  readonly place: string;
  /** Where the Pod of somebody else is that the Deployment waits for. */
  readonly outside: string;
  /** In the names that change with what is deployed. */
  readonly hash: string;
  /** More annotations of the Deployment's Pods. */
  readonly more?: string;
  readonly claim?: string;
}

/** Of the kinds of rights that a deployment can need, one each. */
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
 * What a correction of it does not use here: this cluster serves no Gateway API, and none fails. What is read of a failure is the same as of a
 * deployment, whose test has one.
 */
export const unusedByCorrection = (place: string) => [
  `list events in ${place}`,
  `get pods/log in ${place}`,
];

/** Used by a Pod of somebody else, it stays when it is no longer declared, and with it what it depends on. */
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

/** What `everything` waits for: a Pod of somebody else. */
export interface Theirs {
  readonly outside: string;
  /** Makes it anew, so that it is not ready yet. */
  hold(): Promise<void>;
  /** Lets it get ready. */
  free(): Promise<void>;
  /** A way to the cluster for an account. The Pod gets ready only once it is watched on this way. */
  through(account: TestAccount): Promise<string>;
}

/** A watch is used only where something is not ready yet: here that does not depend on how fast anything is. */
export async function theirs(cluster: TestCluster): Promise<Theirs> {
  const outside = await cluster.namespace("theirs");
  const kubectl = (...args: readonly string[]) => cluster.kubectl("-n", outside, ...args);
  const gates = `[{"op": "remove", "path": "/spec/schedulingGates"}]`;
  const free = async () => {
    const held = await kubectl("get", "pod", "theirs", "-o", "jsonpath={.spec.schedulingGates}");
    if (held !== "") await kubectl("patch", "pod", "theirs", "--type=json", "-p", gates);
  };
  return {
    outside,
    async hold() {
      const now = ["--ignore-not-found", "--grace-period=0", "--force"];
      await kubectl("delete", "pod", "theirs", ...now);
      await cluster.apply(
        outside,
        `{apiVersion: v1, kind: Pod, metadata: {name: theirs}, spec: {schedulingGates: [{name: test.qvs/held}], containers: [{name: a, image: "a:1"}]}}`,
      );
    },
    free,
    async through(account) {
      const folder = mkdtempSync(join(tmpdir(), "rbac-"));
      const proxy = await startApiProxy(account.kubeconfig, folder, "rbac");
      proxy.obey(({ text }) => (text === "watch pods" ? { before: free } : undefined));
      onTestFinished(async () => {
        await proxy.close();
        rmSync(folder, { recursive: true, force: true });
      });
      return proxy.kubeconfig;
    },
  };
}
