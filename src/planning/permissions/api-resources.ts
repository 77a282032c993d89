import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { isCrdManifest } from "../../model/cluster/namespaces-and-crds.ts";
import { textAt } from "../../model/json.ts";
import { isClusterScoped, kindKey } from "../../model/kinds.ts";
import { groupOf } from "../../model/object.ts";
import type { Manifest } from "../../model/sources/compilation.ts";

/** The name of a kind in a Role, and the scope of its objects. */
interface ApiResource {
  readonly plural: string;
  readonly namespaced: boolean;
  /** Set if the name is a guess: Kubernetes, the manifests and the cluster don't define it. */
  readonly guessed?: true;
}

export type FindResource = (group: string, kind: string) => ApiResource;

/** A kind that the cluster serves. */
export interface ServedKind extends ApiResource {
  readonly group: string;
  readonly kind: string;
}

/**
 * Returns a lookup of the resource of each kind.
 * It uses the kinds that the cluster serves, then the CustomResourceDefinitions among the
 * manifests, then the kinds of Kubernetes. For other kinds, it guesses the usual name.
 */
export function resourceFinder(
  manifests: readonly Manifest[],
  served: readonly ServedKind[],
): FindResource {
  const known = new Map<string, ApiResource>();
  for (const { object } of manifests) {
    if (!isCrdManifest(object)) continue;
    const group = textAt(object, "spec", "group") ?? "";
    const kind = textAt(object, "spec", "names", "kind") ?? "";
    const plural = textAt(object, "spec", "names", "plural") ?? guessPlural(kind);
    const namespaced = textAt(object, "spec", "scope") !== "Cluster";
    known.set(kindKey({ group, kind }), { plural, namespaced });
  }
  for (const { group, kind, plural, namespaced } of served) {
    known.set(kindKey({ group, kind }), { plural, namespaced });
  }
  return (group, kind) => known.get(kindKey({ group, kind })) ?? defaultResource(group, kind);
}

/** Lists the kinds of these manifests whose resource only a cluster knows, sorted. */
export function unknownKinds(
  manifests: readonly Manifest[],
): readonly { readonly apiVersion: string; readonly kind: string }[] {
  const findResource = resourceFinder(manifests, []);
  const unknown = new Map<string, { readonly apiVersion: string; readonly kind: string }>();
  for (const { object } of manifests) {
    const { apiVersion, kind } = object;
    if (typeof apiVersion !== "string" || typeof kind !== "string") continue;
    if (findResource(groupOf(apiVersion), kind).guessed) {
      unknown.set(`${apiVersion} ${kind}`, { apiVersion, kind });
    }
  }
  return [...unknown.keys()].toSorted().flatMap((key) => unknown.get(key) ?? []);
}

function defaultResource(group: string, kind: string): ApiResource {
  const plural = guessPlural(kind);
  if (isBuiltInGroup(group)) return { plural, namespaced: !isClusterScoped({ group, kind }) };
  // Operators prefix their cluster-scoped kinds with Cluster: ClusterIssuer, ClusterSecretStore.
  return { plural, namespaced: !kind.startsWith("Cluster"), guessed: true };
}

/**
 * Returns the plural that Kubernetes and the generators of CustomResourceDefinitions would choose.
 */
function guessPlural(kind: string): string {
  const name = kind.toLowerCase();
  if (name === "endpoints") return name;
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
