import { at, isObject, type Json, listAt, textAt } from "../json.ts";
import { kindKey } from "../kinds.ts";
import { idOf, type KubeObject, type ObjectId } from "../object.ts";
import { podSpecOf } from "./pods.ts";

/** A Service that the API server calls. */
export interface CalledService {
  readonly id: ObjectId;
  /** The path of the reference. */
  readonly path: readonly string[];
  /** True if the API server rejects requests while the Service doesn't answer. */
  readonly isNeeded: boolean;
}

/** Returns the Services of admission webhooks, an APIService or a CRD conversion webhook. */
export function calledServices(object: KubeObject): readonly CalledService[] {
  switch (kindKey(idOf(object))) {
    case "admissionregistration.k8s.io/MutatingWebhookConfiguration":
    case "admissionregistration.k8s.io/ValidatingWebhookConfiguration":
      return listAt(object, "webhooks").flatMap((webhook, index) => {
        const path = ["webhooks", String(index), "clientConfig", "service"];
        const isNeeded = textAt(webhook, "failurePolicy") !== "Ignore";
        return toCalledService(at(webhook, "clientConfig", "service"), path, isNeeded);
      });
    case "apiregistration.k8s.io/APIService":
      return toCalledService(at(object, "spec", "service"), ["spec", "service"]);
    case "apiextensions.k8s.io/CustomResourceDefinition":
      return toCalledService(at(object, ...conversionServicePath), conversionServicePath);
    default:
      return [];
  }
}

/** Reports whether a Service selects the Pods of a workload, by its template. */
export function selectsPodsOf(service: KubeObject, workload: KubeObject): boolean {
  const selector = at(service, "spec", "selector");
  const pods = podSpecOf(workload);
  if (!isObject(selector) || Object.keys(selector).length === 0 || pods === undefined) return false;
  if (idOf(service).namespace !== idOf(workload).namespace) return false;
  const path = [...pods.path.slice(0, -1), "metadata", "labels"];
  return Object.entries(selector).every(
    ([label, value]) => textAt(workload, ...path, label) === value,
  );
}

const conversionServicePath = ["spec", "conversion", "webhook", "clientConfig", "service"];

function toCalledService(
  service: Json | undefined,
  path: readonly string[],
  isNeeded = true,
): readonly CalledService[] {
  const [namespace, name] = [textAt(service, "namespace"), textAt(service, "name")];
  if (!isObject(service) || namespace === undefined || name === undefined) return [];
  return [{ id: { group: "", kind: "Service", namespace, name }, path, isNeeded }];
}
