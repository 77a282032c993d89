import { listAt, textAt } from "../json.ts";
import { annotation, groupOf, type KubeObject } from "../object.ts";
import type { ExclusiveValue } from "./exclusive-values.ts";

/**
 * Returns values that the API server accepts in any number of objects, but that a controller or
 * webhook gives only to the first.
 * Examples are the address of a load balancer, and a host with a path.
 */
export function contendedValues(object: KubeObject): readonly ExclusiveValue[] {
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case "/Service":
      return loadBalancerAddresses(object);
    case "networking.k8s.io/Ingress":
      return ingressHostPaths(object);
    default:
      return [];
  }
}

/** Annotations that request addresses: MetalLB, kube-vip, Cilium. */
const addressAnnotations: readonly string[] = [
  "metallb.io/loadBalancerIPs",
  "metallb.universe.tf/loadBalancerIPs",
  "kube-vip.io/loadbalancerIPs",
  "lbipam.cilium.io/ips",
  "io.cilium/lb-ipam-ips",
];

/** Annotations that let several Services share one address. */
const sharingAnnotations: readonly string[] = [
  "metallb.io/allow-shared-ip",
  "metallb.universe.tf/allow-shared-ip",
  "lbipam.cilium.io/sharing-key",
  "io.cilium/lb-ipam-sharing-key",
];

function loadBalancerAddresses(service: KubeObject): readonly ExclusiveValue[] {
  if (textAt(service, "spec", "type") !== "LoadBalancer") return [];
  if (sharingAnnotations.some((name) => annotation(service, name) !== undefined)) return [];
  const field = textAt(service, "spec", "loadBalancerIP") ?? "";
  const named = addressAnnotations.flatMap((name) => (annotation(service, name) ?? "").split(","));
  const addresses = [field, ...named].map((text) => text.trim()).filter((text) => text !== "");
  return [...new Set(addresses)].map((address) => ({
    key: `load balancer address ${address}`,
    description: `the load balancer address ${address}`,
    path: address === field ? ["spec", "loadBalancerIP"] : ["metadata", "annotations"],
    why: "The load balancer controller gives it to the first Service, and the other Service waits for it",
    fix: "Let the controller choose the address",
  }));
}

function ingressHostPaths(ingress: KubeObject): readonly ExclusiveValue[] {
  return listAt(ingress, "spec", "rules").flatMap((rule, index) => {
    const host = textAt(rule, "host") ?? "*";
    return listAt(rule, "http", "paths").map((each) => {
      const path = textAt(each, "path") ?? "/";
      return {
        key: `host ${host} path ${path}`,
        description: `the host ${host} with the path ${path}`,
        path: ["spec", "rules", String(index)],
        why: "A webhook of the cluster gives it to the first Ingress",
        fix: "Give one of them another host or path",
      };
    });
  });
}
