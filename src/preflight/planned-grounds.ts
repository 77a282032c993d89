import { type ChangedGround, groundsOf, isGround } from "../admission/changed-grounds.ts";
import type { Plan } from "../model/plan.ts";
import type { ClusterFacts } from "./facts.ts";

/**
 * What this plan, or that of a deployment before, makes or changes of what admission judges by in a namespace. Deletions come after all
 * that is new.
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
