import type { Cluster } from "../../ports/kubernetes.ts";

/**
 * Returns the cluster for a plan without changes, which records the release before any write.
 * The objects that a manifest refers to might have changed since the plan was made. Then the run
 * writes after all.
 */
export function recordBeforeWrites(cluster: Cluster, record: () => Promise<void>): Cluster {
  const unlessDryRun = async (how?: { readonly dryRun?: boolean }) => {
    if (how?.dryRun !== true) await record();
  };
  return {
    ...cluster,
    async apply(object, how) {
      await unlessDryRun(how);
      return cluster.apply(object, how);
    },
    async patch(address, operations, how) {
      await unlessDryRun(how);
      return cluster.patch(address, operations, how);
    },
    async create(object, how) {
      await unlessDryRun(how);
      return cluster.create(object, how);
    },
    async replace(object, how) {
      await unlessDryRun(how);
      return cluster.replace(object, how);
    },
    async delete(...object) {
      await record();
      return cluster.delete(...object);
    },
  };
}
