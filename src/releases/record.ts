import type { LayoutNode } from "../model/compilation.ts";
import type { Plan } from "../model/plan.ts";
import { type ObjectResult, type Release, releaseFormat } from "../model/release.ts";
import { revisionsAfter } from "./history.ts";
import { inventoryAfter, inventoryOf, inventoryWithPlan } from "./inventory.ts";

/** What only the run itself knows of a new release. */
export type ReleaseFacts = Pick<
  Release,
  "revision" | "rollbackOf" | "inputConfig" | "expandedConfig" | "layout" | "source" | "startedAt"
>;

/** The record to be written before the first change: after it, a killed run leaves nothing that isn't known. */
export function pendingRelease(
  plan: Plan,
  earlier: readonly Release[],
  facts: ReleaseFacts,
): Release {
  return {
    ...facts,
    layout: withoutSources(facts.layout),
    format: releaseFormat,
    deployment: plan.deployment,
    ...(plan.onlyStage === undefined ? {} : { onlyStage: plan.onlyStage }),
    status: "pending",
    finishedAt: undefined,
    inventory: inventoryWithPlan(inventoryOf(earlier), plan),
    results: [],
    revisions: plan.revisions ?? [],
  };
}

/** A Secret has little room. What a parameter was made from can be asked of the commit, which the record names. */
function withoutSources({ sources: _, ...node }: LayoutNode): LayoutNode {
  return { ...node, composites: node.composites.map(withoutSources) };
}

export interface Outcome {
  readonly succeeded: boolean;
  readonly results: readonly ObjectResult[];
  /** ISO 8601. */
  readonly finishedAt: string;
}

/** The record after the last change. A failed run keeps its whole inventory: nobody knows how far it came. */
export function finishRelease(pending: Release, plan: Plan, outcome: Outcome): Release {
  const { succeeded, results, finishedAt } = outcome;
  return {
    ...pending,
    status: succeeded ? "succeeded" : "failed",
    finishedAt,
    results,
    revisions: revisionsAfter(plan, results),
    inventory: succeeded ? inventoryAfter(pending.inventory, plan, results) : pending.inventory,
  };
}
