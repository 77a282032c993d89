import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import { isKubeObject, type KubeObject } from "../../../model/object.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { failure, parsed } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";

/** The dependencies of every verb: the transport, and discovery for the paths. */
export interface Api {
  readonly transport: Transport;
  readonly discovery: Discovery;
}

/** Returns the object in an answer's body. */
export function parseObject(answer: ApiResult<string>): ApiResult<KubeObject> {
  if (!answer.ok) return answer;
  const object = parsed(answer.value);
  if (isKubeObject(object)) return { ...answer, value: object };
  return failure("other", "the API server answered with something that isn't an object", 200);
}
