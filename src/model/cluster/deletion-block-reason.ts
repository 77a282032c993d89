import { listAt, textAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

/**
 * Returns the server's reason why the deletion of a Namespace doesn't progress, such as remaining
 * finalizers.
 * For a CustomResourceDefinition, the reason contains the number of remaining objects. Returns
 * undefined if the server reports nothing.
 */
export function deletionBlockReason(live: KubeObject): string | undefined {
  const messages = listAt(live, "status", "conditions")
    .filter((condition) => textAt(condition, "status") === "True")
    .filter((condition) => deletionConditions.includes(textAt(condition, "type") ?? ""))
    .flatMap((condition) => textAt(condition, "message") ?? []);
  return messages.length === 0 ? undefined : messages.join("; ");
}

/**
 * Conditions from the controllers that delete a Namespace or the objects of a
 * CustomResourceDefinition.
 */
const deletionConditions: readonly string[] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
  "Terminating",
];
