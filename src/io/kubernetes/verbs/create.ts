import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { Answer } from "../../../ports.ts";
import { type Api, objectIn } from "./api.ts";
import { doubtRemoved } from "./doubt.ts";
import { collectionPath } from "./paths.ts";

/**
 * Creates an object, or fails with "already-exists". A request that was cut off may have created it: then the live
 * object decides, so that our own creation is not mistaken for somebody else's.
 */
export async function create(api: Api, object: KubeObject): Promise<Answer<KubeObject>> {
  const address = addressOf(object);
  const path = await collectionPath(api.discovery, address);
  if (!path.ok) return path;
  const { answer, doubtful } = await api.transport.send({
    method: "POST",
    path: path.value,
    query: { fieldValidation: "Strict" },
    body: object,
    // A second POST that finds the first one's object answers 409, which `doubtful` lets us look into.
    repeatable: address.name !== "",
  });
  const created = objectIn(answer);
  return created.ok || !doubtful ? created : doubtRemoved(api, object, created);
}
