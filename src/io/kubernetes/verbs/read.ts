import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import type { KubeObject, ObjectAddress } from "../../../model/object.ts";
import { type Api, parseObject } from "./api.ts";
import { objectPath } from "./paths.ts";

export async function read(
  { transport, discovery }: Api,
  address: ObjectAddress,
): Promise<ApiResult<KubeObject | undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer } = await transport.send({ method: "GET", path: path.value, repeatable: true });
  if (!answer.ok && answer.failure.reason === "not-found") return { ok: true, value: undefined };
  return parseObject(answer);
}
