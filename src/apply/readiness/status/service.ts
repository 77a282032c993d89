import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { ready, type Status, waiting } from "./status.ts";

/** The address of a load balancer may take minutes and is waited for only where something refers to it. */
export function serviceStatus(object: KubeObject): Status {
  const isLoadBalancer = textAt(object, "spec", "type") === "LoadBalancer";
  const hasAddress = (textAt(object, "spec", "clusterIP") ?? "") !== "";
  return isLoadBalancer && !hasAddress ? waiting("no cluster IP yet") : ready();
}
