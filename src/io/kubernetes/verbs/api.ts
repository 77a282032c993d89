import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { parseJson } from "../../../model/json.ts";
import { isKubeObject, type KubeObject, type ObjectAddress } from "../../../model/object.ts";
import type { KindInfo } from "../../../ports/kubernetes.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { groupVersionPath } from "../discovery/requests.ts";
import { failure } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";

/** The dependencies of every verb: the transport, and discovery for the paths. */
export interface Api {
  readonly transport: Transport;
  readonly discovery: Discovery;
}

/** Returns the object in an answer's body. */
export function parseObject(answer: ApiResult<string>): ApiResult<KubeObject> {
  if (!answer.ok) return answer;
  const object = parseJson(answer.value);
  if (isKubeObject(object)) return { ...answer, value: object };
  return failure("other", "the API server answered with something that isn't an object", 200);
}

/**
 * Returns the path of one object. Names can contain colons (`system:masters`), so they are encoded.
 */
export async function objectPath(
  discovery: Discovery,
  address: ObjectAddress,
): Promise<ApiResult<string>> {
  const collection = await collectionPath(discovery, address);
  if (!collection.ok) return collection;
  if (!isPathSegment(address.name)) {
    return failure("invalid", `"${address.name}" can't be the name of a ${address.kind}`);
  }
  return { ok: true, value: `${collection.value}/${encodeURIComponent(address.name)}` };
}

/**
 * Reports whether a name can be a path segment. URLs swallow dots, encoded or not: the Pod ".." of
 * a namespace would be the namespace itself.
 */
function isPathSegment(name: string): boolean {
  return !["", ".", ".."].includes(name);
}

/** Returns the path for creating objects like this one. */
export async function collectionPath(
  discovery: Discovery,
  address: ObjectAddress,
): Promise<ApiResult<string>> {
  const found = await discovery.kind(address.apiVersion, address.kind);
  if (!found.ok) return found;
  if (found.value.namespaced && !isPathSegment(address.namespace)) {
    return failure(
      "invalid",
      `"${address.namespace}" can't be the namespace of ${address.kind} ${address.name}`,
    );
  }
  return { ok: true, value: kindPath(found.value, address.namespace) };
}

/** Returns the path of all objects of a kind, in one namespace or in all. */
export async function listPath(
  discovery: Discovery,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
): Promise<ApiResult<string>> {
  const found = await discovery.kind(apiVersion, kind);
  return found.ok ? { ok: true, value: kindPath(found.value, namespace ?? "") } : found;
}

function kindPath(info: KindInfo, namespace: string): string {
  const { group, version, namespaced, plural } = info;
  const root = groupVersionPath(group === "" ? version : `${group}/${version}`);
  const place =
    namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${place}/${plural}`;
}
