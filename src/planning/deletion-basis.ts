import { isCrd } from "../model/cluster/namespaces-and-crds.ts";
import type { History, InventoryEntry } from "../model/deployments/release.ts";
import type { Problem } from "../model/problems/problem.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { type DeletionInput, planDeletions } from "../plan/deletions/plan-deletions.ts";
import { objectHistory } from "../releases/history.ts";
import { liveInventory } from "../releases/inventory.ts";
import { type RecordedReleases, readReadableReleases } from "../releases/store.ts";
import { deletionDelayReason } from "../releases/unreadable-records.ts";
import type { DesiredState } from "./desired-state.ts";
import { readLive } from "./live/read-live.ts";
import { findOtherSource } from "./plan-context.ts";
import type { PlanningContext } from "./planning-context.ts";
import { projectedCluster } from "./projected-cluster.ts";

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

/** The parts of a context that decide about deletions. */
type DefinitionDeletionContext = Pick<
  PlanningContext,
  "cluster" | "recorded" | "deployment" | "request" | "source" | "upstream" | "decompress"
>;

const fromCommit = { rollbackOf: undefined };

/**
 * Returns the names of the CustomResourceDefinitions that a deployment from a commit deletes, if it
 * declares none of `names`. The function that plans all deletions decides. If qvs can't read the
 * releases or a definition, it deletes nothing, and the plan reports the error.
 */
export async function deletedDefinitions(
  context: DefinitionDeletionContext,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { deployment, request, upstream } = context;
  const cluster = projectedCluster(context.cluster, upstream);
  const read = await (context.recorded ?? readReadableReleases(cluster, deployment, context));
  if (!read.ok) return new Set();
  const recorded = read.value;
  const otherSource = findOtherSource(context, fromCommit, recorded);
  const { rules, history, ...basis } = deletionBasis(context, fromCommit, recorded, otherSource);
  const inventory = basis.inventory.filter(({ id }) => isCrd(id) && names.has(id.name));
  if (inventory.length === 0) return new Set();
  const live = await readLive(cluster, [], inventory, request.limits.concurrency);
  if (!live.ok) return new Set();
  // The other stage can have pending changes, and the plan then keeps every definition.
  const only = request.onlyStage && {
    ...{ stage: request.onlyStage, others: [], othersPending: true },
  };
  const { deletions } = planDeletions({
    ...{ ...rules, inventory, live: live.value, history, only },
    ...{ desired: [], users: new Map() },
  });
  return new Set(deletions.map(({ id }) => id.name));
}
