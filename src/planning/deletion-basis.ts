import type { Problem } from "../model/problems/problem.ts";
import type { History, InventoryEntry } from "../model/release.ts";
import { summarizeList } from "../model/text/suggest.ts";
import type { DeletionInput } from "../plan/deletions/plan-deletions.ts";
import { objectHistory } from "../releases/history.ts";
import { liveInventory } from "../releases/inventory.ts";
import type { RecordedReleases } from "../releases/store.ts";
import { deletionDelayReason } from "../releases/unreadable-records.ts";
import type { DesiredState } from "./desired-state.ts";
import type { PlanningContext } from "./planning-context.ts";

/** The records and the rules that decide about objects which are no longer declared. */
interface DeletionBasis {
  readonly rules: Pick<
    DeletionInput,
    | "deployment"
    | "namespace"
    | "policy"
    | "onlyKeys"
    | "isRollback"
    | "deletes"
    | "onlyNamespace"
    | "keepAllReason"
  >;
  readonly inventory: readonly InventoryEntry[];
  readonly history: History;
}

/** Returns why nothing is deleted: an unknown object can be one of those that seem undeclared. */
function keepAllReason(
  { unrendered = [] }: Pick<DesiredState, "unrendered">,
  recorded: RecordedReleases,
): DeletionInput["keepAllReason"] {
  if (unrendered.length > 0) {
    const detail = `the objects of these charts aren't known: ${summarizeList(unrendered, 3)}`;
    return { why: "chart unknown", detail };
  }
  const detail = deletionDelayReason(recorded.unreadable, recorded);
  return detail === undefined ? undefined : { why: "record unreadable", detail };
}

/**
 * Returns the basis of every plan's deletions. `otherSource` is set if another source deployed the
 * releases.
 */
export function deletionBasis(
  { deployment, request }: Pick<PlanningContext, "deployment" | "request">,
  desired: Pick<DesiredState, "rollbackOf" | "deletes" | "onlyKeys" | "unrendered">,
  recorded: RecordedReleases,
  otherSource: Problem | undefined,
): DeletionBasis {
  return {
    rules: {
      deployment: deployment.name,
      namespace: deployment.namespace,
      policy: request.policy,
      deletes: desired.deletes,
      onlyNamespace: (deployment.environmentOf?.recorded ?? recorded.newest?.environment)
        ?.namespace,
      isRollback: desired.rollbackOf !== undefined,
      onlyKeys: desired.onlyKeys,
      keepAllReason: keepAllReason(desired, recorded),
    },
    // qvs neither shows nor deletes the objects of another source.
    inventory: otherSource === undefined ? liveInventory(recorded) : [],
    history: objectHistory(recorded),
  };
}
