import { at, type Json, type JsonObject, listAt, textAt } from "../../json.ts";
import { formatApiVersion, groupOf, type TypeMeta } from "../../object.ts";
import type { Problem } from "../../problems/problem.ts";
import { isCrdManifest } from "../namespaces-and-crds.ts";
import { type ApiFailure, apiProblem } from "./api-failure.ts";

/** A kind in one version. */
export interface VersionedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** The APIs of a cluster, by the names that charts search. */
export interface ServedApis {
  /** The kinds with resources of their own. */
  readonly kinds: readonly VersionedKind[];
  /** Names such as `apps/v1` and `apps/v1/Deployment`, without duplicates. */
  readonly names: readonly string[];
  /**
   * The group versions whose kinds the API server can't list, because their own API server doesn't
   * answer. Absent names in them are unknown.
   */
  readonly unreadable: readonly string[];
}

/** Returns the names of kinds and of their group versions. */
export function apiNames(kinds: readonly VersionedKind[]): readonly string[] {
  const names = kinds.flatMap((each) => {
    const apiVersion = formatApiVersion(each);
    return [apiVersion, `${apiVersion}/${each.kind}`];
  });
  return [...new Set(names)];
}

/**
 * Returns the APIs after CustomResourceDefinitions are applied. `kinds` are all kinds that they
 * serve: a version that a changed definition no longer serves ends.
 */
export function withDefinitions(apis: ServedApis, kinds: readonly VersionedKind[]): ServedApis {
  const applied = new Set(kinds.map(crdName));
  const others = withoutKinds(apis, (kind) => applied.has(crdName(kind)));
  return {
    ...others,
    kinds: [...others.kinds, ...kinds],
    names: [...new Set([...others.names, ...apiNames(kinds)])],
  };
}

/** Returns the APIs without some kinds. A group version without any other kind is left out too. */
export function withoutKinds(
  apis: ServedApis,
  isRemoved: (kind: VersionedKind) => boolean,
): ServedApis {
  const removed = apis.kinds.filter(isRemoved);
  if (removed.length === 0) return apis;
  const kinds = apis.kinds.filter((each) => !isRemoved(each));
  const remaining = new Set(apiNames(kinds));
  const gone = new Set(apiNames(removed).filter((name) => !remaining.has(name)));
  return { ...apis, kinds, names: apis.names.filter((name) => !gone.has(name)) };
}

/** Returns the name of the CustomResourceDefinition of a kind. */
export function crdName({ plural, group }: VersionedKind): string {
  return `${plural}.${group}`;
}

/**
 * Returns the group version and the kind in the name of an API; undefined if no API can have the
 * name. `v1/Pod` is a kind of the core group.
 */
export function parseApiName(
  name: string,
): { readonly apiVersion: string; readonly kind: string | undefined } | undefined {
  const parts = name.split("/");
  if (parts.length > 3 || parts.some((part) => !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(part)))
    return undefined;
  const [first = "", second, third] = parts;
  const isCore = /^v[0-9]/.test(first) && !first.includes(".");
  if (isCore) return third === undefined ? { apiVersion: first, kind: second } : undefined;
  return second === undefined ? undefined : { apiVersion: `${first}/${second}`, kind: third };
}

/** Lists the kinds that the CustomResourceDefinitions among some objects serve. */
export function definedKinds(objects: readonly JsonObject[]): readonly VersionedKind[] {
  return objects.filter(isCrdManifest).flatMap((crd) =>
    listAt(crd, "spec", "versions")
      .filter((version) => at(version, "served") === true)
      .map((version) => versionedKind(crd, version)),
  );
}

/** Returns the kind of one version of a CustomResourceDefinition. */
export function versionedKind(crd: JsonObject, version: Json): VersionedKind {
  return {
    group: textAt(crd, "spec", "group") ?? "",
    version: textAt(version, "name") ?? "",
    kind: textAt(crd, "spec", "names", "kind") ?? "",
    plural: textAt(crd, "spec", "names", "plural") ?? "",
  };
}

/**
 * Returns the error for a failed discovery of a kind.
 * Discovery can fail for all kinds, or only for the kinds of one aggregated API server.
 */
export function discoveryProblem(
  cluster: { readonly server: string },
  { apiVersion, kind }: TypeMeta,
  failure: ApiFailure,
): Problem {
  if (failure.reason !== "other")
    return apiProblem(cluster, "read the kinds that the API server serves", failure);
  const problem = apiProblem(
    cluster,
    `find out whether the API server serves ${kind} of ${apiVersion}`,
    failure,
  );
  const group = groupOf(apiVersion);
  if (!group.includes(".")) return problem;
  const service = `${apiVersion.slice(group.length + 1)}.${group}`;
  const fix = `Run \`kubectl describe apiservice ${service}\` to find the fault of its API server, then run again`;
  return { ...problem, fix };
}
