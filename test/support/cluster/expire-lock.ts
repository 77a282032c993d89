import type { TestCluster } from "./use-cluster.ts";

/** As if the time of a lock that nobody frees had passed. */
export async function expireLock(
  { kubectl }: Pick<TestCluster, "kubectl">,
  namespace: string,
): Promise<void> {
  const patch = JSON.stringify({ spec: { leaseDurationSeconds: 1 } });
  await kubectl("patch", "lease", "qvs-demo", "-n", namespace, "--type=merge", "-p", patch);
}
