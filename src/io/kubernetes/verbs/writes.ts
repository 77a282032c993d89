import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../../../model/json.ts";
import { addressOf, type KubeObject, type ObjectAddress } from "../../../model/object.ts";
import type { ApplyOptions } from "../../../ports/kubernetes.ts";
import type { FailedAnswer } from "../transport/failure.ts";
import { type Api, collectionPath, objectPath, parseObject } from "./api.ts";
import { read } from "./reads.ts";

/**
 * Applies an object with Server-Side Apply
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/). The body is JSON, which is
 * valid YAML.
 */
export async function apply(
  { transport, discovery }: Api,
  object: KubeObject,
  options: ApplyOptions,
): Promise<ApiResult<KubeObject>> {
  const path = await objectPath(discovery, addressOf(object));
  if (!path.ok) return path;
  const { answer } = await transport.send({
    method: "PATCH",
    path: path.value,
    query: {
      fieldManager: options.fieldManager,
      fieldValidation: "Strict",
      force: String(options.force),
      dryRun: options.dryRun ? "All" : undefined,
    },
    body: object,
    contentType: "application/apply-patch+yaml",
    // Applying the same fields again changes nothing.
    repeatable: true,
  });
  return parseObject(answer);
}

/**
 * Sends a JSON Patch (RFC 6902). Except in dry runs, the patch names the version of the object, so
 * that it can't be applied twice.
 */
export async function patch(
  { transport, discovery }: Api,
  address: ObjectAddress,
  operations: readonly JsonObject[],
  options: Omit<ApplyOptions, "force">,
): Promise<ApiResult<KubeObject>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer } = await transport.send({
    method: "PATCH",
    path: path.value,
    query: {
      fieldManager: options.fieldManager,
      fieldValidation: "Strict",
      dryRun: options.dryRun ? "All" : undefined,
    },
    body: operations,
    contentType: "application/json-patch+json",
    repeatable: true,
  });
  return parseObject(answer);
}

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

/**
 * Requests the deletion of exactly the object with this UID, its dependents first or without them.
 * The object can still exist while finalizers run. With a resourceVersion, the object must also be
 * unchanged since it was read.
 */
export async function deleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
  resourceVersion?: string,
  dependents?: "orphan",
): Promise<ApiResult<undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer, outcomeUnknown } = await transport.send({
    method: "DELETE",
    path: path.value,
    body: deleteOptions(
      resourceVersion === undefined ? { uid } : { uid, resourceVersion },
      dependents === "orphan" ? "Orphan" : "Foreground",
    ),
    repeatable: true,
  });
  if (answer.ok || answer.failure.reason === "not-found") return deletedAnswer;
  // After a lost first answer, another UID means that qvs deleted its object and another one was
  // created. A changed version proves nothing.
  const replaced = outcomeUnknown && answer.failure.reason === "conflict";
  return replaced && resourceVersion === undefined ? deletedAnswer : answer;
}

/** Checks with a dry run whether the deletion would be allowed. The object stays unchanged. */
export async function tryDeleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
): Promise<ApiResult<undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer } = await transport.send({
    method: "DELETE",
    path: path.value,
    query: { dryRun: "All" },
    // If the request has a body, the API server takes all options from it. With `dryRun` only in
    // the query, it would delete the object.
    body: { ...deleteOptions({ uid }), dryRun: ["All"] },
    repeatable: true,
  });
  return answer.ok ? deletedAnswer : answer;
}

function deleteOptions(
  preconditions: JsonObject,
  propagationPolicy: "Foreground" | "Orphan" = "Foreground",
): JsonObject {
  return { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy, preconditions };
}

const deletedAnswer: ApiResult<undefined> = { ok: true, value: undefined };
