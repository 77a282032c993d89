import pMap from "p-map";
import { findDrift } from "../deploying/find-drift.ts";
import { type DeployRequest, defaultLimits, defaultRequest } from "../model/deploy-request.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Drift } from "../model/drift.ts";
import type { World } from "../ports/world.ts";

/**
 * The policy for corrections. Drift reports which corrections it blocks
 * (docs/reference/drift.md#correction).
 */
export interface CorrectionPolicy {
  /** The protected kinds that can be deleted. */
  readonly allowDelete: readonly string[];
  /** True to leave fields to other field managers. Such a field then blocks the correction. */
  readonly leaveToOthers: boolean;
  readonly allowOutsideNamespace: boolean;
  /**
   * True to also create objects that can't be restored completely: a PersistentVolumeClaim without
   * its data, or a migration that runs again.
   */
  readonly allowIrreversible?: boolean | undefined;
  readonly overrideFreeze?: string | undefined;
}

export const defaultCorrection: CorrectionPolicy = {
  allowDelete: [],
  leaveToOthers: false,
  allowOutsideNamespace: false,
};

/**
 * The number of simultaneous comparisons. It is enough for many deployments; each has its plan and
 * live objects in memory.
 */
const atOnce = 4;

/**
 * Compares deployments in the cluster with their current releases. It compiles nothing, takes no
 * lock and writes nothing.
 */
export async function drift(
  world: World,
  deployments: readonly Deployment[],
  policy: CorrectionPolicy = defaultCorrection,
): Promise<readonly Drift[]> {
  return pMap(deployments, (deployment) => detectDrift(world, deployment, policy), {
    concurrency: atOnce,
    signal: world.signal,
  });
}

/** Compares one deployment with its current release. */
async function detectDrift(
  world: World,
  deployment: Deployment,
  policy: CorrectionPolicy = defaultCorrection,
): Promise<Drift> {
  return findDrift(world, world.target(deployment), deployment, correctionRequest(policy));
}

/**
 * Returns the request of a correction. It restores declared fields even if another field manager
 * wrote them.
 */
export function correctionRequest(policy: CorrectionPolicy, limits = defaultLimits): DeployRequest {
  const { allowDelete, leaveToOthers, allowOutsideNamespace } = policy;
  const { allowIrreversible = false, overrideFreeze } = policy;
  const conflicts = { force: !leaveToOthers, takeover: [] };
  const allowed = { allowOutsideNamespace, allowIrreversible, overrideFreeze };
  return { ...defaultRequest, policy: { allowDelete, conflicts }, ...allowed, limits };
}
