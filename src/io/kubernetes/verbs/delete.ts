import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { ObjectAddress } from "../../../model/object.ts";
import type { Api } from "./api.ts";
import { objectPath } from "./paths.ts";

/**
 * Requests the deletion of exactly the object with this UID, its dependents first. The object can
 * still exist while finalizers run. With a resourceVersion, the object must also be unchanged since
 * it was read.
 */
export async function deleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
  resourceVersion?: string,
): Promise<ApiResult<undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer, outcomeUnknown } = await transport.send({
    method: "DELETE",
    path: path.value,
    body: deleteOptions(resourceVersion === undefined ? { uid } : { uid, resourceVersion }),
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

function deleteOptions(preconditions: JsonObject): JsonObject {
  const kind = "DeleteOptions";
  return { apiVersion: "v1", kind, propagationPolicy: "Foreground", preconditions };
}

const deletedAnswer: ApiResult<undefined> = { ok: true, value: undefined };
