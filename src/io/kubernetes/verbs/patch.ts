import type { JsonObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Answer, ApplyOptions, ObjectAddress } from "../../../ports.ts";
import { type Api, objectIn } from "./api.ts";
import { objectPath } from "./paths.ts";

/** A JSON Patch (RFC 6902). One that is no dry-run says which version of the object it is for, so that it can't be done twice. */
export async function patch(
  { transport, discovery }: Api,
  address: ObjectAddress,
  operations: readonly JsonObject[],
  options: Omit<ApplyOptions, "force">,
): Promise<Answer<KubeObject>> {
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
  return objectIn(answer);
}
