import type { ChangedGround } from "../admission/changed-grounds.ts";
import type { Plan } from "../model/plan.ts";
import { asPlanned } from "./planned-pods.ts";

const kinds: readonly string[] = ["Namespace", "LimitRange", "ResourceQuota"];

/** What this plan makes or changes of what admission judges by in a namespace. Deletions come after all that is new. */
export function plannedGrounds({ changes }: Plan): (namespace: string) => readonly ChangedGround[] {
  const written = changes.filter(
    ({ id, action }) => id.group === "" && kinds.includes(id.kind) && action !== "unchanged",
  );
  const byNamespace = Map.groupBy(written, ({ id }) =>
    id.kind === "Namespace" ? id.name : id.namespace,
  );
  return (namespace) =>
    (byNamespace.get(namespace) ?? []).map((change) => ({
      before: change.live,
      after: asPlanned(change),
    }));
}
