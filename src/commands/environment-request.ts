import { type DeployRequest, defaultRequest } from "../model/deploy-request.ts";

/** The parts of a request that decide how a run of an environment waits. */
export type EnvironmentRun = Pick<DeployRequest, "limits" | "overrideFreeze" | "waitForLock">;

/**
 * Returns the request that deploys an environment.
 * It deletes volumes that are no longer declared, because an environment has no data to keep. It
 * compares no commits: the checkout of a pull request is a test merge without descendants.
 */
export function environmentRequest(run: EnvironmentRun): DeployRequest {
  const { conflicts } = defaultRequest.policy;
  const allowDelete = ["PersistentVolumeClaim", "VolumeSnapshot"];
  return { ...defaultRequest, ...run, policy: { allowDelete, conflicts }, whenOlder: undefined };
}
