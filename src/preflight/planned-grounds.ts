import { type ChangedGround, groundsOf, isGround } from "../admission/changed-grounds.ts";
import type { Plan } from "../model/plan.ts";
import type { ClusterFacts } from "./facts.ts";

/**
 * Returns the changes to the admission rules of a namespace, by this plan or an earlier deployment.
 * Deletions aren't included, because qvs makes them after all new objects.
 */
export function plannedGrounds(
  { changes }: Plan,
  { earlier }: Pick<ClusterFacts, "earlier">,
): (namespace: string) => readonly ChangedGround[] {
  const written = [...earlier, ...changes].filter(
    ({ id, action }) => isGround(id) && action !== "unchanged",
  );
  const byNamespace = Map.groupBy(written, ({ id }) =>
    id.kind === "Namespace" ? id.name : id.namespace,
  );
  return (namespace) =>
    (byNamespace.get(namespace) ?? []).flatMap(({ live, desired, predicted }) =>
      groundsOf(live, desired, predicted),
    );
}
