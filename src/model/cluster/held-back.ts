import { listAt, textAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

/**
 * What the server says holds back the deletion of a Namespace, such as finalizers of what is in it; undefined where it says nothing. Of a
 * definition it says how many of its objects are left.
 */
export function heldBackBy(live: KubeObject): string | undefined {
  const said = listAt(live, "status", "conditions")
    .filter((condition) => textAt(condition, "status") === "True")
    .filter((condition) => conditions.includes(textAt(condition, "type") ?? ""))
    .flatMap((condition) => textAt(condition, "message") ?? []);
  return said.length === 0 ? undefined : said.join("; ");
}

/** Of the controllers that delete a Namespace, and the objects of a CustomResourceDefinition. */
const conditions: readonly string[] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
  "Terminating",
];
