import { type DeployRequest, defaultRequest } from "../model/deploy-request.ts";
import { environmentKinds } from "../plan/environment-limits.ts";

/** The parts of a request that decide how a run of an environment waits. */
export type EnvironmentRun = Pick<DeployRequest, "limits" | "overrideFreeze" | "waitForLock">;

/**
 * Returns the request that deploys an environment.
 * It deletes volumes that are no longer declared, because an environment has no data to keep. It
 * compares no commits: the checkout of a pull request is a test merge without descendants.
 */
export function environmentRequest(run: EnvironmentRun): DeployRequest {
  const { conflicts } = defaultRequest.policy;
  const policy = { allowDelete: ["PersistentVolumeClaim", "VolumeSnapshot"], conflicts };
  return { ...defaultRequest, ...runParts(run), policy, whenOlder: undefined };
}

/** Returns the request that deletes an environment with everything in it. */
export function environmentDeletionRequest(run: EnvironmentRun): DeployRequest {
  const { conflicts } = defaultRequest.policy;
  const policy = { allowDelete: environmentKinds, conflicts, keepRevisions: 0 };
  return { ...defaultRequest, ...runParts(run), policy };
}

/** Leaves out every other part: a caller can pass a whole request of a deployment. */
function runParts({ limits, overrideFreeze, waitForLock }: EnvironmentRun): EnvironmentRun {
  return { limits, overrideFreeze, waitForLock };
}
