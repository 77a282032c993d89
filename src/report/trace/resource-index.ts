import {
  type Compilation,
  type LayoutNode,
  type Resource,
  resourceKey,
} from "../../model/compilation.ts";
import { textAt } from "../../model/json.ts";
import type { FieldTrace } from "../../model/trace.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { resourceContent } from "../diff/render-manifests.ts";

/** A compilation indexed by `stage/id`, for fast lookups in thousands of resources. */
export interface ResourceIndex {
  readonly compilation: Compilation;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Empty without a trace. */
  readonly fields: ReadonlyMap<string, readonly FieldTrace[]>;
  /** The resources that contain secrets. */
  readonly secrets: ReadonlySet<string>;
  /** The indexes of the config's own adapters that contributed to a resource. */
  readonly users: ReadonlyMap<string, readonly number[]>;
}

export function indexResources(compilation: Compilation): ResourceIndex {
  const { resources, trace = [], layout } = compilation;
  return {
    compilation,
    resources: new Map(resources.map((each) => [resourceKey(each), each])),
    fields: new Map(trace.map(({ resource, fields }) => [resource, fields])),
    secrets: new Set(resources.filter(isSecret).map(resourceKey)),
    users: indexUsers(layout),
  };
}

/** Returns all resources that an adapter contributed to, including those of its composites. */
export function nodeResources({ resources, composites }: LayoutNode): readonly string[] {
  return [...resources, ...composites.flatMap(nodeResources)];
}

function indexUsers({ composites }: LayoutNode): ReadonlyMap<string, readonly number[]> {
  const users = new Map<string, number[]>();
  for (const [place, node] of composites.entries()) {
    for (const resource of new Set(nodeResources(node))) {
      const known = users.get(resource) ?? [];
      known.push(place);
      users.set(resource, known);
    }
  }
  return users;
}

/**
 * Reports whether a resource contains secrets. For other providers, the name of its type can be
 * enough.
 */
function isSecret(resource: Resource): boolean {
  const isNamed =
    resource.type === "foreign" && isSensitiveName(textAt(resource.content, "type") ?? "");
  return isNamed || canContainSecrets(resourceContent(resource));
}
