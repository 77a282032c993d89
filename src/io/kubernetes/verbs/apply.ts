import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { Answer, ApplyOptions } from "../../../ports.ts";
import { type Api, objectIn } from "./api.ts";
import { objectPath } from "./paths.ts";

/** Server-Side Apply (https://kubernetes.io/docs/reference/using-api/server-side-apply/); JSON is valid YAML. */
export async function apply(
  { transport, discovery }: Api,
  object: KubeObject,
  options: ApplyOptions,
): Promise<Answer<KubeObject>> {
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
  return objectIn(answer);
}
