import pMap from "p-map";
import { apiProblem } from "../../model/cluster/api-failure.ts";
import type { KubeObject } from "../../model/object.ts";
import { failed, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Release } from "../../model/release.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { decodeReleases } from "../../releases/decode.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { concurrency } from "./list-recorded.ts";

/** A deployment with its releases since the newest successful one, newest first. */
export interface DeploymentWithReleases extends RecordedDeployment {
  readonly releases: Result<readonly Release[]>;
}

/**
 * Reads only the records that determine the current release of each deployment. That is usually one
 * Secret, however long the history is.
 */
export function readCurrentReleases(
  cluster: Cluster,
  deployments: readonly RecordedDeployment[],
  world: { readonly decompress: (bytes: Uint8Array) => string },
): Promise<readonly DeploymentWithReleases[]> {
  return pMap(
    deployments,
    async (deployment) => ({
      ...deployment,
      releases: await readDeploymentReleases(cluster, deployment, world.decompress),
    }),
    { concurrency },
  );
}

async function readDeploymentReleases(
  cluster: Cluster,
  { name, namespace, secrets }: RecordedDeployment,
  decompress: (bytes: Uint8Array) => string,
): Promise<Result<readonly Release[]>> {
  const problems: Problem[] = [];
  const found: KubeObject[] = [];
  for (const secret of secrets) {
    const address = { apiVersion: "v1", kind: "Secret", namespace, name: secret };
    const answer = await cluster.read(address);
    if (!answer.ok) problems.push(apiProblem(cluster, `read release ${secret}`, answer.failure));
    else if (answer.value !== undefined) found.push(answer.value);
  }
  return problems.length > 0 ? failed(problems) : decodeReleases(name, found, decompress);
}
