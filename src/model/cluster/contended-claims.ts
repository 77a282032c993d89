import { listAt, textAt } from "../json.ts";
import { annotation, groupOf, type KubeObject } from "../object.ts";
import type { ExclusiveClaim } from "./exclusive-claims.ts";

/**
 * Returns values that the API server accepts in any number of objects, but that a controller or
 * webhook gives only to the first.
 * Examples are the address of a load balancer, and a host with a path.
 */
export function contendedClaims(object: KubeObject): readonly ExclusiveClaim[] {
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case "/Service":
      return balancerAddresses(object);
    case "networking.k8s.io/Ingress":
      return hostsAndPaths(object);
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

function balancerAddresses(service: KubeObject): readonly ExclusiveClaim[] {
  if (textAt(service, "spec", "type") !== "LoadBalancer") return [];
  if (sharingAnnotations.some((name) => annotation(service, name) !== undefined)) return [];
  const field = textAt(service, "spec", "loadBalancerIP") ?? "";
  const named = addressAnnotations.flatMap((name) => (annotation(service, name) ?? "").split(","));
  const addresses = [field, ...named].map((text) => text.trim()).filter((text) => text !== "");
  return [...new Set(addresses)].map((address) => ({
    key: `load balancer address ${address}`,
    words: `the load balancer address ${address}`,
    path: address === field ? ["spec", "loadBalancerIP"] : ["metadata", "annotations"],
    why: "the controller of load balancers gives it to the Service that comes first, and the other one waits for it",
    fix: "Leave the address to the controller",
  }));
}

function hostsAndPaths(ingress: KubeObject): readonly ExclusiveClaim[] {
  return listAt(ingress, "spec", "rules").flatMap((rule, index) => {
    const host = textAt(rule, "host") ?? "*";
    return listAt(rule, "http", "paths").map((each) => {
      const path = textAt(each, "path") ?? "/";
      return {
        key: `host ${host} path ${path}`,
        words: `the host ${host} with the path ${path}`,
        path: ["spec", "rules", String(index)],
        why: "a webhook of the cluster gives it to the Ingress that comes first",
        fix: "Give one of them another host or path",
      };
    });
  });
}
