import { definesKind, isCrd } from "../model/cluster/namespaces-and-crds.ts";
import type { Change } from "../model/plan/plan.ts";
import type { ClusterFacts } from "./cluster-facts.ts";

/**
 * Lists the changes to objects whose kind doesn't exist yet, which the API server can't dry-run.
 * This deployment or an earlier one creates the kind.
 */
export function changesOfPendingKinds(
  changes: readonly Change[],
  { upstreamChanges }: Pick<ClusterFacts, "upstreamChanges">,
): readonly Change[] {
  const pendingCrds = [...upstreamChanges, ...changes].filter(
    ({ id, live }) => isCrd(id) && live === undefined,
  );
  if (pendingCrds.length === 0) return [];
  return changes.filter(
    ({ id, action }) =>
      action !== "unchanged" && pendingCrds.some(({ desired }) => definesKind(desired, id)),
  );
}
