import type { Asker } from "../model/cluster/lock-run.ts";
import type { LayoutNode } from "../model/compilation.ts";
import type { Json } from "../model/json.ts";
import type { Plan } from "../model/plan.ts";
import {
  type ObjectResult,
  type Release,
  type ReleasedManifest,
  releaseFormat,
} from "../model/release.ts";
import { mayHoldSecrets } from "../redaction/secret-like.ts";
import { holdsSecret } from "../redaction/secrets-within.ts";
import { revisionsAfter } from "./history.ts";
import { inventoryAfter, inventoryOf, inventoryWithPlan } from "./inventory.ts";
import { markMet } from "./origin.ts";

/** What only the run itself knows of a new release. */
export type ReleaseFacts = Pick<
  Release,
  | "revision"
  | "rollbackOf"
  | "inputConfig"
  | "expandedConfig"
  | "layout"
  | "source"
  | "overrode"
  | "startedAt"
>;

/** The record to be written before the first change: after it, a killed run leaves nothing that isn't known. */
export function pendingRelease(
  plan: Plan,
  earlier: readonly Release[],
  facts: ReleaseFacts,
): Release {
  return {
    ...facts,
    layout: layoutToRecord(facts.layout, !facts.expandedConfig.some(mayHoldSecretsIn)),
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

function mayHoldSecretsIn({ object }: ReleasedManifest): boolean {
  return mayHoldSecrets(object);
}

/**
 * A Secret has little room: what a parameter was made from can be asked of the commit, which the record names. Values of
 * parameters are recorded only where none can have become that of a Secret, since a layout is there to be shown.
 */
function layoutToRecord(layout: LayoutNode, mayShow: boolean): LayoutNode {
  const { sources: _, hidden = [], ...node } = layout;
  const isHidden = ([name, value]: readonly [string, Json]) =>
    !mayShow || hidden.includes(name) || holdsSecret(name, value);
  const params = Object.entries(node.params);
  // What an adapter hands on is made from its own, nobody can say from which.
  const mayShowBelow = !params.some(isHidden);
  return {
    ...node,
    params: Object.fromEntries(params.map((one) => [one[0], isHidden(one) ? "(hidden)" : one[1]])),
    composites: node.composites.map((each) => layoutToRecord(each, mayShow && mayShowBelow)),
  };
}

export interface Outcome {
  readonly succeeded: boolean;
  readonly results: readonly ObjectResult[];
  /** ISO 8601. */
  readonly finishedAt: string;
  /** The newer run that it gave way to. */
  readonly superseded?: Asker | undefined;
  /** What ended it early. */
  readonly stopped?: string | undefined;
}

/** The record after the last change. A failed run keeps its whole inventory: nobody knows how far it came. */
export function finishRelease(pending: Release, plan: Plan, outcome: Outcome): Release {
  const { succeeded, results, finishedAt, superseded, stopped } = outcome;
  return {
    ...pending,
    status: succeeded ? "succeeded" : "failed",
    finishedAt,
    results,
    ...(superseded === undefined ? {} : { superseded }),
    ...(!succeeded && stopped === "cancelled" ? { cancelled: true } : {}),
    revisions: revisionsAfter(plan, results),
    inventory: succeeded
      ? inventoryAfter(pending.inventory, plan, results)
      : markMet(pending.inventory, results),
  };
}
