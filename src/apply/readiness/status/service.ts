import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { ready, type Status, waiting } from "./status.ts";

/**
 * Computes the status of a Service.
 * The address of a load balancer can take minutes. qvs waits for it only if another object
 * references it.
 */
export function serviceStatus(object: KubeObject): Status {
  const isLoadBalancer = textAt(object, "spec", "type") === "LoadBalancer";
  const hasAddress = (textAt(object, "spec", "clusterIP") ?? "") !== "";
  return isLoadBalancer && !hasAddress ? waiting("no cluster IP yet") : ready();
}
