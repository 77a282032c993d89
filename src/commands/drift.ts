import pMap from "p-map";
import { defaultLimits } from "../apply/run.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Drift } from "../model/drift.ts";
import type { World } from "../ports/world.ts";
import { findDrift } from "../runs/find-drift.ts";
import type { DeployOptions } from "../runs/with-lock.ts";

/** What a correction is allowed to do, which is what drift is told of (docs/reference/drift.md#correction). */
export interface CorrectionPolicy {
  /** Protected kinds that may be deleted. */
  readonly allowDelete: readonly string[];
  /** Leave what others have taken to them: then such a field refuses the correction. */
  readonly leaveToOthers: boolean;
  readonly allowOutsideNamespace: boolean;
  /** Create also what is not what it was: a claim without its data, a migration that runs again. */
  readonly allowIrreversible?: boolean | undefined;
  readonly overrideFreeze?: string | undefined;
}

export const defaultCorrection: CorrectionPolicy = {
  allowDelete: [],
  leaveToOthers: false,
  allowOutsideNamespace: false,
};

/** Enough for a fleet; each holds its plan and its live objects in memory. */
const atOnce = 4;

/** How deployments in the cluster differ from their running releases. Nothing is compiled, no lock is taken, nothing is written. */
export async function drift(
  world: World,
  deployments: readonly Deployment[],
  policy: CorrectionPolicy = defaultCorrection,
): Promise<readonly Drift[]> {
  return pMap(deployments, (deployment) => driftOf(world, deployment, policy), {
    concurrency: atOnce,
    signal: world.signal,
  });
}

/** The same of one deployment. */
async function driftOf(
  world: World,
  deployment: Deployment,
  policy: CorrectionPolicy = defaultCorrection,
): Promise<Drift> {
  return findDrift(world, world.target(deployment), deployment, correctionOptions(policy));
}

/** What was declared is put back, also where somebody else has written it: that is what a correction is for. */
export function correctionOptions(policy: CorrectionPolicy, limits = defaultLimits): DeployOptions {
  const { allowDelete, leaveToOthers, allowOutsideNamespace } = policy;
  const { allowIrreversible, overrideFreeze } = policy;
  const conflicts = { force: !leaveToOthers, takeover: [] };
  const rules = {
    policy: { allowDelete, conflicts },
    allowOutsideNamespace,
    allowIrreversible,
    overrideFreeze,
  };
  return { ...rules, limits, waitForLock: true, adopt: false };
}
