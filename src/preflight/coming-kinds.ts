import { definesKind, isDefinition } from "../model/cluster/holder.ts";
import type { Change } from "../model/plan.ts";
import type { ClusterFacts } from "./facts.ts";

/** What is written of kinds that only come, with this deployment or one before it: the server takes no dry-run of it. */
export function ofComingKinds(
  changes: readonly Change[],
  { earlier }: Pick<ClusterFacts, "earlier">,
): readonly Change[] {
  const coming = [...earlier, ...changes].filter(
    ({ id, live }) => isDefinition(id) && live === undefined,
  );
  if (coming.length === 0) return [];
  return changes.filter(
    ({ id, action }) =>
      action !== "unchanged" && coming.some(({ desired }) => definesKind(desired, id)),
  );
}

/** What decides about requests besides the server itself. */
export const admissionKinds = [
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
] as const;
