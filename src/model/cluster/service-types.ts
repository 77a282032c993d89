import { listAt, textAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

/*
 * The types of a Service, and the functions that each type has (pkg/apis/core/v1/service and
 * `needsNodePort` in the Service storage of Kubernetes).
 */

/** Service types that allocate a node port for each port. */
const nodePortServiceTypes: ReadonlySet<string> = new Set(["NodePort", "LoadBalancer"]);

export function isExternalName(service: KubeObject): boolean {
  return textAt(service, "spec", "type") === "ExternalName";
}

export function isLoadBalancer(service: KubeObject): boolean {
  return textAt(service, "spec", "type") === "LoadBalancer";
}

export function hasNodePorts(service: KubeObject): boolean {
  return nodePortServiceTypes.has(textAt(service, "spec", "type") ?? "");
}

/** Reports whether a Service has a port for health checks of its nodes. */
export function needsHealthCheckPort(service: KubeObject): boolean {
  return isLoadBalancer(service) && textAt(service, "spec", "externalTrafficPolicy") === "Local";
}

/** Reports whether clients outside the cluster can reach a Service, also through external IPs. */
export function isExternallyAccessible(service: KubeObject): boolean {
  const hasExternalIps =
    !isExternalName(service) && listAt(service, "spec", "externalIPs").length > 0;
  return hasNodePorts(service) || hasExternalIps;
}
