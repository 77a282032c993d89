import { isCrd } from "../model/cluster/namespaces-and-crds.ts";
import type { Deployment } from "../model/deployment.ts";
import { catchProblems } from "../model/problems/errors.ts";
import type { Result } from "../model/problems/problem.ts";
import type { UpstreamDeployments } from "../model/upstream-deployments.ts";
import { projectedCluster } from "../planning/projected-cluster.ts";
import type { ReadAhead } from "../planning/read-ahead.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { liveInventory } from "../releases/inventory.ts";
import { readReadableReleases } from "../releases/store.ts";
import type { CapabilitySource } from "../sources/charts/capabilities.ts";

/** The cluster of a deployment, as far as a run has read it. */
interface OpenedCluster {
  readonly cluster: Cluster;
  /** The releases, if qvs is already reading them. */
  readonly recorded?: ReadAhead["recorded"] | undefined;
}

/**
 * Returns a function that opens the target of a deployment with its first call. Charts and the plan
 * must see the same cluster: a second attempt could succeed after charts saw none.
 */
export function openOnce(
  world: Pick<World, "target">,
  deployment: Deployment,
): () => Promise<TargetCluster> {
  let opening: Promise<TargetCluster> | undefined;
  return () => {
    opening ??= world.target(deployment);
    return opening;
  };
}

/**
 * Returns the cluster that the charts of a deployment see: as it is after the upstream deployments.
 * `open` connects to it; if it can't, the charts see no cluster, and the run reports the failure
 * where it needs the cluster itself.
 */
export function chartCapabilities(
  world: Pick<World, "decompress">,
  deployment: Deployment,
  open: () => Promise<OpenedCluster>,
  upstream?: UpstreamDeployments,
): CapabilitySource {
  let opening: Promise<Result<OpenedCluster>> | undefined;
  const connect = () => {
    opening ??= catchProblems(async () => {
      const { cluster, recorded } = await open();
      return { cluster: projectedCluster(cluster, upstream), recorded };
    });
    return opening;
  };
  return {
    read: async () => {
      const found = await connect();
      if (!found.ok) return undefined;
      const { cluster } = found.value;
      const [version, apis] = await Promise.all([cluster.version(), cluster.apis()]);
      return { server: cluster.server, version, apis };
    },
    servesApi: async (name) => {
      const found = await connect();
      return found.ok ? found.value.cluster.servesApi(name) : { ok: true, value: false };
    },
    ownDefinitions: async () => {
      const found = await connect();
      if (!found.ok) return new Set();
      const { cluster, recorded = readReadableReleases(cluster, deployment, world) } = found.value;
      const read = await recorded;
      // The plan reports unreadable releases, and then deletes nothing.
      if (!read.ok) return new Set();
      const definitions = liveInventory(read.value).filter(({ id }) => isCrd(id));
      return new Set(definitions.map(({ id }) => id.name));
    },
  };
}
