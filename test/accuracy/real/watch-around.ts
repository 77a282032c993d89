import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../src/model/object.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import type { Accuracy } from "../compare.ts";
import { compareGone, presentIn } from "../compare-gone.ts";
import type { Watch } from "../run-foretold.ts";
import { secondNamespace } from "./stages.ts";

/** Looks at what is in the namespace besides what a plan has, and waits for what the garbage collector does. */
export async function watchAround(
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
      const before = await presentIn(cluster, namespace, kinds);
      return async (report) => {
        await untilCollected(cluster, namespace);
        const after = await presentIn(cluster, namespace, kinds);
        compareGone(report, [before, after], namespace, accuracy);
      };
    },
  };
}

/** Kinds of the server itself; others may not be there yet. */
const usual: ReadonlySet<string> = new Set([
  ...["ConfigMap", "Secret", "Service", "ServiceAccount", "PersistentVolumeClaim"],
  ...["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Ingress", "NetworkPolicy"],
  ...["Role", "RoleBinding", "HorizontalPodAutoscaler", "PodDisruptionBudget"],
]);

/** The garbage collector works off what there is to do in order: what is made without an owner that is there goes last. No rule is about a Lease. */
async function untilCollected(cluster: TestCluster, namespace: string): Promise<void> {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: crypto.randomUUID() };
  const name = `collected-${crypto.randomUUID()}`;
  const metadata = { name, ownerReferences: [owner] };
  const marker = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  const run = (...words: readonly string[]) =>
    cluster.kubectlSays(["-n", namespace, ...words], JSON.stringify(marker));
  const said = await run("create", "-f", "-");
  if (said.startsWith("Error")) throw new Error(said);
  while (!(await run("get", "lease", name)).startsWith("Error")) await sleep(100);
  // What hung on something that hung on something follows.
  await sleep(500);
}
