import { at, isObject, textAt } from "../json.ts";
import { annotation, type KubeObject } from "../object.ts";
import { fromBase64 } from "../text/base64.ts";

export const caBundlePath = ["spec", "conversion", "webhook", "clientConfig", "caBundle"];

/**
 * Reports whether a CustomResourceDefinition's conversion webhook has an invalid CA certificate.
 * The API server accepts the CustomResourceDefinition but doesn't serve its kind
 * (`InvalidCABundle`) until the certificate is valid.
 */
export function hasInvalidCaBundle(crd: KubeObject): boolean {
  const bundle = textAt(crd, ...caBundlePath);
  if (bundle === undefined || bundle === "") return false;
  const text = fromBase64(bundle);
  return (
    text === undefined || !/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(text)
  );
}

/**
 * Reports whether an annotation requests injection of the CA, such as
 * `cert-manager.io/inject-ca-from` or OpenShift's `inject-cabundle`.
 */
export function isCaInjected(object: KubeObject): boolean {
  const annotations = at(object, "metadata", "annotations");
  const names = isObject(annotations) ? Object.keys(annotations) : [];
  return names.some(
    (name) => /\/inject-(\w+-)*ca/.test(name) && annotation(object, name) !== "false",
  );
}
