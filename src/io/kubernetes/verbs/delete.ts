import type { Answer, ObjectAddress } from "../../../ports.ts";
import type { Api } from "./api.ts";
import { objectPath } from "./paths.ts";

/** Asks for the deletion of exactly the object with this uid, its dependants first. It may stay while finalizers run. */
export async function deleteObject(
  { transport, discovery }: Api,
  address: ObjectAddress,
  uid: string,
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
      preconditions: { uid },
    },
    repeatable: true,
  });
  if (answer.ok || answer.failure.reason === "not-found") return gone;
  // Another uid after our first attempt: ours went, and somebody has made a new one.
  return doubtful && answer.failure.reason === "conflict" ? gone : answer;
}

const gone: Answer<undefined> = { ok: true, value: undefined };
