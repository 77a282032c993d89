import { changedReferents } from "../../model/changed-referents.ts";
import type { Compilation } from "../../model/compilation.ts";
import { titleOf } from "./manifest-diff.ts";
import { resourceKey } from "./manifests.ts";

/**
 * The resources that a pull request changes and whose changed fields come into another resource by references, though that one's own
 * manifest says what it said before: by their titles, sorted. `resource` is `stage/id`.
 */
export function referredChanges(
  resource: string,
  head: Compilation,
  base: Compilation,
): readonly string[] {
  const start = head.resources.find((each) => resourceKey(each) === resource);
  if (start?.type !== "manifest") return [];
  const changed = changedReferents(start, start.object, { head, base });
  return [...new Set(changed.map(titleOf))].toSorted();
}
