import type { KubeObject } from "../object.ts";
import { idOf } from "../object.ts";
import type { UnservedWebhook } from "./api-messages/unserved-webhook.ts";
import { selectsPodsOf } from "./called-services.ts";

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
