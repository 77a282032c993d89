import { at, isObject, textAt } from "../json.ts";
import { annotation, type KubeObject } from "../object.ts";
import { fromBase64 } from "../text/base64.ts";

export const webhookAuthority = ["spec", "conversion", "webhook", "clientConfig", "caBundle"];

/**
 * Whether the certificate authority of a definition's conversion webhook is none. The server accepts the definition and never serves its
 * kind (`InvalidCABundle`), unless somebody puts the right one there.
 */
export function hasUnreadableAuthority(definition: KubeObject): boolean {
  const bundle = textAt(definition, ...webhookAuthority);
  if (bundle === undefined || bundle === "") return false;
  const text = fromBase64(bundle);
  return (
    text === undefined || !/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(text)
  );
}

/** Whether an annotation asks a controller for it, such as `cert-manager.io/inject-ca-from` or OpenShift's `inject-cabundle`. */
export function isAuthorityInjected(object: KubeObject): boolean {
  const annotations = at(object, "metadata", "annotations");
  const names = isObject(annotations) ? Object.keys(annotations) : [];
  return names.some(
    (name) => /\/inject-(\w+-)*ca/.test(name) && annotation(object, name) !== "false",
  );
}
