import type { TestCluster } from "./use-cluster.ts";

/** Shortens the duration of an abandoned lock, so that the lock is expired. */
export async function expireLock(
  { kubectl }: Pick<TestCluster, "kubectl">,
  namespace: string,
): Promise<void> {
  const patch = JSON.stringify({ spec: { leaseDurationSeconds: 1 } });
  await kubectl("patch", "lease", "qvs-demo", "-n", namespace, "--type=merge", "-p", patch);
}
