import type { Answer } from "../../../model/cluster/api-failure.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { ObjectAddress } from "../../../model/object.ts";
import type { Api } from "./api.ts";
import { objectPath } from "./paths.ts";

/**
 * Requests the deletion of exactly the object with this uid, its dependants first. It may still exist while finalizers
 * run. With a resourceVersion it must also be as it was read.
 */
export async function deleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
  resourceVersion?: string,
): Promise<Answer<undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer, outcomeUnknown } = await transport.send({
    method: "DELETE",
    path: path.value,
    body: optionsFor(resourceVersion === undefined ? { uid } : { uid, resourceVersion }),
    repeatable: true,
  });
  if (answer.ok || answer.failure.reason === "not-found") return gone;
  // Another uid after our first attempt: ours was deleted, and somebody has created a new one. A changed version proves
  // nothing.
  const replaced = outcomeUnknown && answer.failure.reason === "conflict";
  return replaced && resourceVersion === undefined ? gone : answer;
}

/** Asks whether that would be allowed; nothing happens to the object. */
export async function tryDeleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
): Promise<Answer<undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer } = await transport.send({
    method: "DELETE",
    path: path.value,
    query: { dryRun: "All" },
    // The server takes all options from the body where there is one, and then deletes for real whatever the query says.
    body: { ...optionsFor({ uid }), dryRun: ["All"] },
    repeatable: true,
  });
  return answer.ok ? gone : answer;
}

function optionsFor(preconditions: JsonObject): JsonObject {
  const kind = "DeleteOptions";
  return { apiVersion: "v1", kind, propagationPolicy: "Foreground", preconditions };
}

const gone: Answer<undefined> = { ok: true, value: undefined };
