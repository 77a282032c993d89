import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { Answer } from "../../../ports.ts";
import { type Api, objectIn } from "./api.ts";
import { doubtRemoved } from "./doubt.ts";
import { objectPath } from "./paths.ts";

/**
 * Overwrites the object whose resourceVersion is given; "conflict" when it has changed since. A request that was cut
 * off may have changed it itself: then the live object decides.
 */
export async function replace(api: Api, object: KubeObject): Promise<Answer<KubeObject>> {
  const path = await objectPath(api.discovery, addressOf(object));
  if (!path.ok) return path;
  const { answer, doubtful } = await api.transport.send({
    method: "PUT",
    path: path.value,
    body: object,
    repeatable: true,
  });
  const replaced = objectIn(answer);
  return replaced.ok || !doubtful ? replaced : doubtRemoved(api, object, replaced);
}
