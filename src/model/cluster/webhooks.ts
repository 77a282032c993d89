import { isAdmissionConfiguration } from "../governors.ts";
import { at, isObject, type Json, listAt, textAt } from "../json.ts";
import { annotation, idOf, type KubeObject } from "../object.ts";
import { fromBase64 } from "../text/base64.ts";
import type { UnservedWebhook } from "./api/messages/denials.ts";
import { selectsPodsOf } from "./called-services.ts";
import { isSubset } from "./fields/immutable-fields.ts";

/**
 * Returns the objects that serve a webhook: its Service, and the workloads whose Pods the Service
 * selects. `live` returns the live Service, for one that isn't among the objects. Nothing in the
 * cluster serves a webhook with an address outside of it.
 */
export function webhookServers(
  { service }: UnservedWebhook,
  objects: readonly KubeObject[],
  live: (service: { readonly namespace: string; readonly name: string }) => KubeObject | undefined,
): readonly KubeObject[] {
  if (service === undefined) return [];
  const declared = objects.find((object) => {
    const { group, kind, namespace, name } = idOf(object);
    const isService = group === "" && kind === "Service";
    return isService && namespace === service.namespace && name === service.name;
  });
  const called = declared ?? live(service);
  if (called === undefined) return [];
  const workloads = objects.filter((object) => selectsPodsOf(called, object));
  return declared === undefined ? workloads : [declared, ...workloads];
}

/**
 * Reports whether an object configures a live webhook, and has another declaration of it or none
 * any more. A change of something else, such as a label, doesn't make the webhook answer.
 */
export function changesWebhook(
  name: string,
  object: KubeObject,
  live: KubeObject | undefined,
): boolean {
  if (!isAdmissionConfiguration(idOf(object))) return false;
  const named = (each: Json) => textAt(each, "name") === name;
  const before = listAt(live, "webhooks").find(named);
  const declared = listAt(object, "webhooks").find(named);
  return before !== undefined && (declared === undefined || !isSubset(declared, before));
}

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
