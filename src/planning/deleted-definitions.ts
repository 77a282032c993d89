import { isCrd } from "../model/cluster/namespaces-and-crds.ts";
import { planDeletions } from "../plan/deletions/plan-deletions.ts";
import { readReadableReleases } from "../releases/store.ts";
import { deletionBasis } from "./deletion-basis.ts";
import { findOtherSource } from "./plan-context.ts";
import type { PlanningContext } from "./planning-context.ts";
import { projectedCluster } from "./projected-cluster.ts";
import { readLive } from "./read-live.ts";

/** The parts of a context that decide about deletions. */
export type DefinitionDeletionContext = Pick<
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
