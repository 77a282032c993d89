import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import type { JsonObject } from "../../../model/json.ts";
import { addressOf, type KubeObject, type ObjectAddress } from "../../../model/object.ts";
import type { ApplyOptions } from "../../../ports/kubernetes.ts";
import { type Api, parseObject } from "./api.ts";
import { objectPath } from "./paths.ts";

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
