import { expect, test } from "vitest";
import { manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

/**
 * Tests PersistentVolumeClaims without permission to read StorageClasses. They are cluster-scoped,
 * so an identity for one namespace can rarely read them.
 */
const cluster = useCluster();

const lateClass = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late-for-deployers}
provisioner: example.com/late
volumeBindingMode: WaitForFirstConsumer
`;

const claimAndItsUser = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: late-for-deployers, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: after, annotations: {vs.axis-dev.io/dependsOn: "core:PersistentVolumeClaim::data"}}
`;

const all = "[get, list, watch, create, update, patch, delete]";
const deploying = `
- {apiGroups: ["", coordination.k8s.io], resources: [leases, secrets, configmaps, persistentvolumeclaims], verbs: ${all}}
- {apiGroups: ["", apps, batch, argoproj.io], resources: [pods, deployments, replicasets, statefulsets, daemonsets, jobs, cronjobs, rollouts], verbs: [list]}`;
const events = `
- {apiGroups: [""], resources: [events], verbs: [list]}`;

test.for([
  { may: "events", rules: deploying + events, notice: "binds when the first Pod uses it" },
  {
    may: "neither class nor events",
    rules: deploying,
    notice: "not awaited, because qvs can't read its StorageClass",
  },
])(
  "a PersistentVolumeClaim that binds late doesn't block an identity that can read $may",
  async ({ rules, notice }) => {
    const shop = await manifestsIn(cluster);
    shop.declare({ app: claimAndItsUser });
    await cluster.apply(shop.namespace, lateClass);
    await cluster.apply(shop.namespace, roleFor("deployer", rules));
    const { code, stderr } = await shop.qvsAs("deployer", "deploy", "--timeout", "10m");
    expect(stderr).toContain(`PersistentVolumeClaim ${shop.namespace}/data: ready (${notice})`);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  },
);

function roleFor(user: string, rules: string): string {
  return `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ${user}}
rules:
${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${user}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${user}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user}}]
`;
}
