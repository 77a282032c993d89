import type { Answer, ObjectAddress } from "../../../ports.ts";
import type { Api } from "./api.ts";
import { objectPath } from "./paths.ts";

/**
 * Asks for the deletion of exactly the object with this uid, its dependants first. It may stay while finalizers run.
 * With a resourceVersion it must also be as it was read.
 */
export async function deleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
  resourceVersion?: string,
): Promise<Answer<undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer, doubtful } = await transport.send({
    method: "DELETE",
    path: path.value,
    body: {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Foreground",
      preconditions: resourceVersion === undefined ? { uid } : { uid, resourceVersion },
    },
    repeatable: true,
  });
  if (answer.ok || answer.failure.reason === "not-found") return gone;
  // Another uid after our first attempt: ours went, and somebody has made a new one. A changed version tells nothing.
  const replaced = doubtful && answer.failure.reason === "conflict";
  return replaced && resourceVersion === undefined ? gone : answer;
}

const gone: Answer<undefined> = { ok: true, value: undefined };
