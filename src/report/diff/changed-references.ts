import { changedReferencedManifests } from "../../model/changed-referenced-manifests.ts";
import { type Compilation, resourceKey } from "../../model/compilation.ts";
import { resourceTitle } from "./manifest-diff.ts";

/**
 * Returns the sorted titles of the changed resources that another resource references.
 * It returns only resources whose changed fields reach `resource`, whose own manifest is unchanged.
 * `resource` is `stage/id`.
 */
export function changedReferences(
  resource: string,
  head: Compilation,
  base: Compilation,
): readonly string[] {
  const start = head.resources.find((each) => resourceKey(each) === resource);
  if (start?.type !== "manifest") return [];
  const changed = changedReferencedManifests(start, start.object, { head, base });
  return [...new Set(changed.map(resourceTitle))].toSorted();
}
