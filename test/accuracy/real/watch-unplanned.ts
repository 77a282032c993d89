import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../src/model/object.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import type { Accuracy } from "../compare.ts";
import { compareDeletions, listPresent } from "../compare-deletions.ts";
import type { Watch } from "../run-predicted.ts";
import { secondNamespace } from "./stages.ts";

/**
 * Observes the objects in a namespace that aren't in the plan, and waits for the garbage collector.
 */
export async function watchUnplanned(
  cluster: TestCluster,
  namespace: string,
  objects: readonly KubeObject[],
  accuracy: Accuracy,
): Promise<Watch & { readonly settle: () => Promise<void> }> {
  const second = secondNamespace(namespace);
  if (objects.some(({ metadata }) => metadata["namespace"] === second))
    await cluster.kubectl("create", "namespace", second);
  const kinds = [...new Set([...objects.map(({ kind }) => kind), "PersistentVolumeClaim"])].filter(
    (kind) => usual.has(kind),
  );
  return {
    settle: () => untilCollected(cluster, namespace),
    async begin() {
      const before = await listPresent(cluster, namespace, kinds);
      return async (report) => {
        await untilCollected(cluster, namespace);
        const after = await listPresent(cluster, namespace, kinds);
        compareDeletions(report, [before, after], namespace, accuracy);
      };
    },
  };
}

/** Built-in kinds. Others might not exist yet. */
const usual: ReadonlySet<string> = new Set([
  ...["ConfigMap", "Secret", "Service", "ServiceAccount", "PersistentVolumeClaim"],
  ...["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Ingress", "NetworkPolicy"],
  ...["Role", "RoleBinding", "HorizontalPodAutoscaler", "PodDisruptionBudget"],
]);

/**
 * Waits until the garbage collector has processed its queue. It works in order, so it deletes a new
 * object with a missing owner last. No admission policy of the tests covers Leases.
 */
async function untilCollected(cluster: TestCluster, namespace: string): Promise<void> {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: crypto.randomUUID() };
  const name = `collected-${crypto.randomUUID()}`;
  const metadata = { name, ownerReferences: [owner] };
  const marker = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  const run = (...words: readonly string[]) =>
    cluster.kubectlOutput(["-n", namespace, ...words], JSON.stringify(marker));
  const output = await run("create", "-f", "-");
  if (output.startsWith("Error")) throw new Error(output);
  while (!(await run("get", "lease", name)).startsWith("Error")) await sleep(100);
  // Transitive dependents are deleted a little later.
  await sleep(500);
}
