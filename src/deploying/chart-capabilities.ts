import { defaultRequest, type PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { UpstreamDeployments } from "../model/deployments/other-deployments.ts";
import { catchProblems } from "../model/problems/errors.ts";
import type { Result } from "../model/problems/problem.ts";
import { deletedDefinitions } from "../planning/deletion-basis.ts";
import type { ReadAhead } from "../planning/live/read-ahead.ts";
import { projectedCluster } from "../planning/projected-cluster.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import type { CapabilitySource } from "../sources/charts/capabilities.ts";
import { releaseSource } from "./create-planning-context.ts";

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

interface CapabilityOptions {
  /** The request of the deployment, which can keep definitions; by default, one without flags. */
  readonly request?: PlanningRequest | undefined;
  readonly upstream?: UpstreamDeployments | undefined;
}

/**
 * Returns the cluster that the charts of a deployment see: as it is after the upstream deployments.
 * `open` connects to it; if it can't, the charts see no cluster, and the run reports the failure
 * where it needs the cluster itself.
 */
export function chartCapabilities(
  world: Pick<World, "decompress" | "origin" | "repository" | "source">,
  deployment: Deployment,
  open: () => Promise<OpenedCluster>,
  { request = defaultRequest, upstream }: CapabilityOptions = {},
): CapabilitySource {
  let opening: Promise<Result<OpenedCluster>> | undefined;
  const connect = () => {
    opening ??= catchProblems(open);
    return opening;
  };
  return {
    read: async () => {
      const found = await connect();
      if (!found.ok) return undefined;
      const cluster = projectedCluster(found.value.cluster, upstream);
      const [version, apis] = await Promise.all([cluster.version(), cluster.apis()]);
      return { server: cluster.server, version, apis };
    },
    servesApi: async (name) => {
      const found = await connect();
      if (!found.ok) return { ok: true, value: false };
      return projectedCluster(found.value.cluster, upstream).servesApi(name);
    },
    deletes: async (definitions) => {
      const found = await connect();
      if (!found.ok) return new Set();
      const { cluster, recorded } = found.value;
      const source = await releaseSource(world, deployment);
      const { decompress } = world;
      const context = { cluster, recorded, deployment, request, source, upstream, decompress };
      return deletedDefinitions(context, definitions);
    },
  };
}
