import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { apiNames, type ServedApis } from "../../../model/cluster/api/served-apis.ts";
import {
  readServerVersion,
  type ServerVersion,
} from "../../../model/cluster/api/server-version.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  parseJson,
  textAt,
} from "../../../model/json.ts";
import { formatApiVersion, groupOf } from "../../../model/object.ts";
import type { KindInfo } from "../../../ports/kubernetes.ts";
import { failure } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";

export type ServedKinds = readonly KindInfo[];

/** All kinds below one root, and the names of all APIs there. */
export interface ServedRoot extends ServedApis {
  readonly kinds: ServedKinds;
}

/**
 * Requests all groups, versions and kinds in one answer (KEP-3352). Servers before Kubernetes 1.26
 * answer in the old format.
 */
const aggregated = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat("application/json")
  .join(",");

/**
 * Returns all kinds below `/api` (the core group) or `/apis` (the other groups). The preferred
 * version of each group is first.
 */
export async function requestAllKinds(
  transport: Transport,
  root: "/api" | "/apis",
): Promise<ApiResult<ServedRoot>> {
  const call = { method: "GET", path: root, accept: aggregated, repeatable: true } as const;
  const { answer } = await transport.send(call);
  if (!answer.ok) return answer;
  const list = parseJson(answer.value);
  if (textAt(list, "kind") === "APIGroupDiscoveryList") {
    return { ok: true, value: aggregatedRoot(listAt(list, "items")) };
  }
  const named = listedVersions(list);
  const { versions: limit } = transport.bounds;
  if (named.length > limit) {
    const what = `the API server lists more than ${limit} API versions`;
    return failure("beyond-bounds", what);
  }
  const versions = await Promise.all(
    named.map(async (name) => ({ name, answer: await requestVersionKinds(transport, name) })),
  );
  // An aggregated API server that is down must not hide the other groups.
  const kinds = versions.flatMap(({ answer }) => (answer.ok ? answer.value : []));
  const unreadable = versions.flatMap(({ name, answer }) => (answer.ok ? [] : [name]));
  return { ok: true, value: { kinds, names: [...named, ...apiNames(kinds)], unreadable } };
}

/**
 * Returns the answer of aggregated discovery. A version is stale if its own API server doesn't
 * answer: its resources are old or missing.
 */
function aggregatedRoot(items: readonly Json[]): ServedRoot {
  const kinds = items.flatMap(groupKinds);
  const versions = items.flatMap((item) =>
    listAt(item, "versions").map((entry) => {
      const group = textAt(item, "metadata", "name") ?? "";
      const apiVersion = formatApiVersion({ group, version: textAt(entry, "version") ?? "" });
      return { apiVersion, entry };
    }),
  );
  const subresources = versions.flatMap(({ apiVersion, entry }) =>
    listAt(entry, "resources").flatMap((resource) =>
      listAt(resource, "subresources").flatMap((each) => {
        const kind = textAt(each, "responseKind", "kind");
        return kind === undefined ? [] : [`${apiVersion}/${kind}`];
      }),
    ),
  );
  const unreadable = versions.filter(({ entry }) => textAt(entry, "freshness") === "Stale");
  const own = versions.map(({ apiVersion }) => apiVersion);
  return {
    kinds,
    names: [...new Set([...own, ...apiNames(kinds), ...subresources])],
    unreadable: unreadable.map(({ apiVersion }) => apiVersion),
  };
}

function groupKinds(item: Json): ServedKinds {
  const group = textAt(item, "metadata", "name") ?? "";
  return listAt(item, "versions").flatMap((entry) => {
    const version = textAt(entry, "version") ?? "";
    return listAt(entry, "resources").map((resource) => ({
      group,
      version,
      kind: textAt(resource, "responseKind", "kind") ?? "",
      plural: textAt(resource, "resource") ?? "",
      names: resourceNames(resource, "singularResource"),
      namespaced: textAt(resource, "scope") === "Namespaced",
      hasStatus: listAt(resource, "subresources").some(
        (each) => textAt(each, "subresource") === "status",
      ),
      listable: listAt(resource, "verbs").includes("list"),
    }));
  });
}

function resourceNames(resource: Json, singular: string): readonly string[] {
  return [textAt(resource, singular) ?? "", ...listAt(resource, "shortNames")].filter(
    (name) => typeof name === "string" && name !== "",
  ) as readonly string[];
}

/** Returns the versions in an APIVersions object (core group) or an APIGroupList. */
function listedVersions(list: Json | undefined): readonly string[] {
  const core = listAt(list, "versions").filter((version) => typeof version === "string");
  const others = listAt(list, "groups").flatMap((group) =>
    listAt(group, "versions").flatMap((version) => textAt(version, "groupVersion") ?? []),
  );
  return [...core, ...others];
}

/**
 * Reads the version of the API server. Every identity can read it (`system:public-info-viewer`).
 */
export async function requestVersion(transport: Transport): Promise<ApiResult<ServerVersion>> {
  const { answer } = await transport.send({ method: "GET", path: "/version", repeatable: true });
  if (!answer.ok) return answer;
  const version = readServerVersion(parseJson(answer.value));
  if (version !== undefined) return { ok: true, value: version };
  return failure("other", "the API server doesn't show its version", 200);
}

/** Returns the kinds of one group and version; empty if the API server doesn't serve it. */
export async function requestVersionKinds(
  transport: Transport,
  apiVersion: string,
): Promise<ApiResult<ServedKinds>> {
  const path = groupVersionPath(apiVersion);
  const { answer } = await transport.send({ method: "GET", path, repeatable: true });
  if (!answer.ok) {
    return answer.failure.reason === "not-found" ? { ok: true, value: [] } : answer;
  }
  const resources = listAt(parseJson(answer.value), "resources");
  return {
    ok: true,
    value: resources.filter(isTopLevelResource).map((it) => toKindInfo(it, resources, apiVersion)),
  };
}

/**
 * Returns the path of a group and version: `/api/v1` for the core group, `/apis/apps/v1` for
 * another group.
 */
export function groupVersionPath(apiVersion: string): string {
  const root = groupOf(apiVersion) === "" ? "/api" : "/apis";
  return `${root}/${apiVersion.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Reports whether a resource isn't a subresource. The same list contains both, e.g.
 * `deployments/scale`.
 */
function isTopLevelResource(resource: Json): boolean {
  return textAt(resource, "name")?.includes("/") === false;
}

function toKindInfo(resource: Json, resources: readonly Json[], apiVersion: string): KindInfo {
  const group = groupOf(apiVersion);
  const plural = textAt(resource, "name") ?? "";
  return {
    group,
    version: group === "" ? apiVersion : apiVersion.slice(group.length + 1),
    kind: textAt(resource, "kind") ?? "",
    plural,
    names: resourceNames(resource, "singularName"),
    namespaced: at(resource, "namespaced") === true,
    hasStatus: resources.some((each) => textAt(each, "name") === `${plural}/status`),
    listable: listAt(resource, "verbs").includes("list"),
  };
}

/**
 * Reads the schema of a kind from the OpenAPI v3 document of its group and version. Every
 * authenticated identity can read the document (`system:discovery`). Undefined if the document
 * doesn't contain the kind.
 */
export async function readSchema(
  transport: Transport,
  apiVersion: string,
  kind: string,
): Promise<ApiResult<JsonObject | undefined>> {
  const path = `/openapi/v3${groupVersionPath(apiVersion)}`;
  const { answer } = await transport.send({ method: "GET", path, repeatable: true });
  if (!answer.ok) {
    return answer.failure.reason === "not-found" ? { ok: true, value: undefined } : answer;
  }
  const schemas = at(parseJson(answer.value), "components", "schemas");
  const found = Object.values(isObject(schemas) ? schemas : {}).find((schema) =>
    listAt(schema, "x-kubernetes-group-version-kind").some((each) => {
      const [group = "", version = "", name] = ["group", "version", "kind"].map((field) =>
        textAt(each, field),
      );
      const isOfVersion =
        group === groupOf(apiVersion) && formatApiVersion({ group, version }) === apiVersion;
      return isOfVersion && name === kind;
    }),
  );
  return { ok: true, value: isObject(found) ? found : undefined };
}
