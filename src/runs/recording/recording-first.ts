import type { Cluster } from "../../ports/kubernetes.ts";

/**
 * The cluster for a plan that changes nothing. What it refers to may have changed since the plan was made, and then something is
 * written after all: not before the release is recorded.
 */
export function recordingFirst(cluster: Cluster, record: () => Promise<void>): Cluster {
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
