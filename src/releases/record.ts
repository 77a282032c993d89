import type { Challenger } from "../model/cluster/deployment-lock.ts";
import type { PassedCheck } from "../model/deployments/deployment-checks.ts";
import { type ObjectResult, type Release, releaseFormat } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { ObservedRollout } from "../model/plan/predictions.ts";
import type { LayoutNode } from "../model/sources/compilation.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { isSensitiveValue } from "../redaction/sensitive-values.ts";
import { usedRevisions } from "./history.ts";
import { finalInventory, inventoryWithPlan, liveInventory, markAdopted } from "./inventory.ts";

/** The facts about a new release that only the run knows. */
export type ReleaseInput = Pick<
  Release,
  | "revision"
  | "rollbackOf"
  | "inputConfig"
  | "expandedConfig"
  | "layout"
  | "checks"
  | "deletionHooks"
  | "source"
  | "environment"
  | "overrode"
  | "startedAt"
>;

/**
 * Returns the record to write before the first change.
 * A run that is killed later leaves no object that isn't in the record.
 */
export function pendingRelease(plan: Plan, history: ReleaseHistory, facts: ReleaseInput): Release {
  return {
    ...facts,
    layout: layoutToRecord(facts.layout, !recordedObjects(facts).some(canContainSecrets)),
    format: releaseFormat,
    deployment: plan.deployment,
    ...(plan.onlyStage === undefined ? {} : { onlyStage: plan.onlyStage }),
    status: "pending",
    finishedAt: undefined,
    inventory: inventoryWithPlan(liveInventory(history), plan),
    results: [],
    revisions: plan.revisions ?? [],
  };
}

function recordedObjects({
  expandedConfig,
  deletionHooks = [],
}: Pick<Release, "expandedConfig" | "deletionHooks">): readonly JsonObject[] {
  return [...expandedConfig, ...deletionHooks].map(({ object }) => object);
}

/**
 * Reduces a layout for the record.
 * A Secret has little room. The source of a parameter can be read from the commit, which the record
 * contains. Parameter values are recorded only if none can have become a Secret value, because
 * queries show the layout.
 */
function layoutToRecord(layout: LayoutNode, canShow: boolean): LayoutNode {
  const { sources: _, hidden = [], ...node } = layout;
  const isHidden = ([name, value]: readonly [string, Json]) =>
    !canShow || hidden.includes(name) || isSensitiveValue(name, value);
  const params = Object.entries(node.params);
  // An adapter computes the parameters of its composites from its own ones, in an unknown way.
  const canShowBelow = !params.some(isHidden);
  return {
    ...node,
    params: Object.fromEntries(params.map((one) => [one[0], isHidden(one) ? "(hidden)" : one[1]])),
    composites: node.composites.map((each) => layoutToRecord(each, canShow && canShowBelow)),
  };
}

export interface RunEnd {
  readonly succeeded: boolean;
  readonly results: readonly ObjectResult[];
  /** ISO 8601. */
  readonly finishedAt: string;
  readonly passedChecks?: readonly PassedCheck[];
  /** The observed rollouts, by the key of the workload. Missing if there are none. */
  readonly rollouts?: ReadonlyMap<string, ObservedRollout>;
  /** The newer run that superseded this one. */
  readonly superseded?: Challenger | undefined;
  /** The reason why the run ended early. */
  readonly stopped?: string | undefined;
}

/**
 * Returns the record after the last change.
 * A failed run keeps its whole inventory, because its progress is uncertain.
 */
export function finishRelease(pending: Release, plan: Plan, outcome: RunEnd): Release {
  const { succeeded, results, passedChecks, finishedAt, superseded, stopped } = outcome;
  return {
    ...pending,
    status: succeeded ? "succeeded" : "failed",
    finishedAt,
    results,
    ...(passedChecks === undefined ? {} : { passedChecks }),
    ...recordedRollouts(plan, outcome),
    ...(superseded === undefined ? {} : { superseded }),
    ...(!succeeded && stopped === "cancelled" ? { cancelled: true } : {}),
    revisions: usedRevisions(plan, results),
    inventory: succeeded
      ? finalInventory(pending.inventory, plan, results)
      : markAdopted(pending.inventory, results),
  };
}

/** Returns the forecasts of a plan with the observed rollouts; nothing if there are none. */
function recordedRollouts(
  { forecasts = [] }: Plan,
  { rollouts = new Map() }: RunEnd,
): Pick<Release, "rollouts"> {
  if (forecasts.length === 0) return {};
  return {
    rollouts: forecasts.map((forecast) => {
      const observed = rollouts.get(forecast.key);
      return observed === undefined ? forecast : { ...forecast, observed };
    }),
  };
}
