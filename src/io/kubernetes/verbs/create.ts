import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import { fieldOf, isList, isObject, type Json } from "../../../model/json.ts";
import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { FailedAnswer } from "../transport/failure.ts";
import { type Api, parseObject } from "./api.ts";
import { collectionPath, objectPath } from "./paths.ts";
import { read } from "./read.ts";

/**
 * Resolves a write whose answer was lost. If the live object contains everything that qvs sent, the
 * write was carried out. A write of managedFields stays unresolved: the API server rewrites them,
 * so qvs can't compare them.
 */
async function resolveUnknownOutcome(
  api: Api,
  sent: KubeObject,
  failed: FailedAnswer,
): Promise<ApiResult<KubeObject>> {
  if (sent.metadata.managedFields !== undefined) return failed;
  const live = await read(api, addressOf(sent));
  if (!live.ok || live.value === undefined) return failed;
  return containsAll(live.value, withoutCounters(sent)) ? { ok: true, value: live.value } : failed;
}

/** Drops the counters, which change with every write. */
function withoutCounters(object: KubeObject): Json {
  const { resourceVersion, generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Reports whether `live` has every field of `sent`. It can have more fields, e.g. defaults. */
function containsAll(live: Json | undefined, sent: Json): boolean {
  if (isList(sent)) {
    if (!isList(live) || live.length !== sent.length) return false;
    return sent.every((item, index) => containsAll(live[index], item));
  }
  if (isObject(sent)) {
    return Object.entries(sent).every(([field, value]) => {
      return value === null || (isObject(live) && containsAll(fieldOf(live, field), value));
    });
  }
  return live === sent;
}

/**
 * Creates an object, or fails with "already-exists". A request that was cut off might have created
 * the object. The live object decides this, so that qvs doesn't mistake its own object for another
 * tool's.
 */
export async function create(
  api: Api,
  object: KubeObject,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<ApiResult<KubeObject>> {
  const address = addressOf(object);
  const path = await collectionPath(api.discovery, address);
  if (!path.ok) return path;
  const { answer, outcomeUnknown } = await api.transport.send({
    method: "POST",
    path: path.value,
    query: { fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) },
    body: object,
    // A second POST that finds the object of the first one gets a 409. `outcomeUnknown` then makes
    // qvs read the live object.
    repeatable: address.name !== "",
  });
  const created = parseObject(answer);
  return created.ok || dryRun || !outcomeUnknown
    ? created
    : resolveUnknownOutcome(api, object, created);
}

/**
 * Overwrites the object at the given resourceVersion. Fails with "conflict" if the object changed
 * since then. A request that was cut off might itself have changed it, so the live object decides.
 */
export async function replace(
  api: Api,
  object: KubeObject,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<ApiResult<KubeObject>> {
  const path = await objectPath(api.discovery, addressOf(object));
  if (!path.ok) return path;
  const { answer, outcomeUnknown } = await api.transport.send({
    method: "PUT",
    path: path.value,
    query: dryRun ? { dryRun: "All" } : {},
    body: object,
    repeatable: true,
  });
  const replaced = parseObject(answer);
  return replaced.ok || dryRun || !outcomeUnknown
    ? replaced
    : resolveUnknownOutcome(api, object, replaced);
}
