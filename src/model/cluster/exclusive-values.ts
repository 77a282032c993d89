import { type Json, listAt, numberAt, textAt } from "../json.ts";
import { kindKey } from "../kinds.ts";
import { annotation, idOf, type KubeObject } from "../object.ts";

/** A value that the API server or a controller gives to one object only. */
export interface ExclusiveValue {
  /** The identity of the value. Two objects with the same key conflict. */
  readonly key: string;
  readonly description: string;
  readonly path: readonly string[];
  /** The consequence for the second object. */
  readonly why: string;
  readonly fix: string;
}

/**
 * Returns the values that an object needs exclusively. `isKnown` reports whether a value is known
 * before the deployment.
 */
export function exclusiveValues(
  object: KubeObject,
  isKnown: (value: string) => boolean = () => true,
): readonly ExclusiveValue[] {
  switch (kindKey(idOf(object))) {
    case "/Service":
      return [...nodePortValues(object), ...clusterIpValues(object, isKnown)];
    case "/PersistentVolumeClaim":
      return volumeValues(object, isKnown);
    case "scheduling.k8s.io/PriorityClass":
      return defaultClassValues(object);
    case "apiextensions.k8s.io/CustomResourceDefinition":
      return crdNameValues(object);
    default:
      return [];
  }
}

const serviceConflict = {
  why: "The API server gives it to the first object, and rejects the other object",
  fix: "Give one of them another value, or let the API server choose it",
};

/**
 * Returns the claims to node ports, for any protocol.
 * The server counts all protocols together. Only the ports of one Service can share a node port.
 */
function nodePortValues(service: KubeObject): readonly ExclusiveValue[] {
  const ports = listAt(service, "spec", "ports").flatMap((port, index) =>
    nodePortValue(numberAt(port, "nodePort"), ["spec", "ports", String(index), "nodePort"]),
  );
  const field = "healthCheckNodePort";
  const claims = [...ports, ...nodePortValue(numberAt(service, "spec", field), ["spec", field])];
  return [...new Map(claims.map((claim) => [claim.key, claim])).values()];
}

function nodePortValue(
  port: number | undefined,
  path: readonly string[],
): readonly ExclusiveValue[] {
  if (port === undefined || port === 0) return [];
  return [
    { key: `node port ${port}`, description: `the node port ${port}`, path, ...serviceConflict },
  ];
}

function clusterIpValues(
  service: KubeObject,
  isKnown: (value: string) => boolean,
): readonly ExclusiveValue[] {
  const first = textAt(service, "spec", "clusterIP") ?? "";
  const texts = [first, ...listAt(service, "spec", "clusterIPs")].filter(isAddress).filter(isKnown);
  return [...new Set(texts)].map((address) => ({
    key: `address ${address}`,
    description: `the address ${address}`,
    path: ["spec", address === first ? "clusterIP" : "clusterIPs"],
    ...serviceConflict,
  }));
}

function isAddress(value: Json): value is string {
  return typeof value === "string" && !["", "None"].includes(value);
}

/**
 * Returns the claim to a PersistentVolume.
 * The controller binds the first claim that it processes. The other claim stays unbound.
 */
function volumeValues(
  claim: KubeObject,
  isKnown: (value: string) => boolean,
): readonly ExclusiveValue[] {
  const volume = textAt(claim, "spec", "volumeName") ?? "";
  if (volume === "" || !isKnown(volume)) return [];
  return [
    {
      key: `volume ${volume}`,
      description: `PersistentVolume ${volume}`,
      path: ["spec", "volumeName"],
      why: "A PersistentVolume is bound to the first PersistentVolumeClaim, and the other claim waits for it",
      fix: "Give each PersistentVolumeClaim its own PersistentVolume",
    },
  ];
}

function defaultClassValues(object: KubeObject): readonly ExclusiveValue[] {
  if (object["globalDefault"] !== true) return [];
  return [
    {
      key: "default PriorityClass",
      description: "to be the default PriorityClass",
      path: ["globalDefault"],
      why: "A cluster has only one, and the API server rejects the other",
      fix: "Set globalDefault in only one of them",
    },
  ];
}

const crdConflict = {
  why: "The API server accepts each name in a group for one CustomResourceDefinition only, and never serves the kind of the other",
  fix: "Give one of them other names, or another group",
};

/**
 * Returns the claims to the names of a CustomResourceDefinition.
 * Kinds and resources are separate. Within each of them, all names are equal (NamesAccepted).
 */
function crdNameValues(crd: KubeObject): readonly ExclusiveValue[] {
  const { spec } = crd;
  const group = textAt(spec, "group") ?? "";
  const claim = (sort: string, name: string, field: string): ExclusiveValue => ({
    key: crdNameKey(group, sort, name),
    description: `the ${sort} ${name} of ${group}`,
    path: ["spec", "names", field],
    ...crdConflict,
  });
  const kind = textAt(spec, "names", "kind") ?? "";
  const list = textAt(spec, "names", "listKind") ?? `${kind}List`;
  const singular = textAt(spec, "names", "singular") ?? kind.toLowerCase();
  const short = listAt(spec, "names", "shortNames").filter((name) => typeof name === "string");
  return [
    claim("kind", kind, "kind"),
    claim("kind", list, "listKind"),
    claim("resource", textAt(spec, "names", "plural") ?? "", "plural"),
    claim("resource", singular, "singular"),
    ...short.map((name) => claim("resource", name, "shortNames")),
  ];
}

export function crdNameKey(group: string, sort: string, name: string): string {
  return `${group} ${sort} ${name}`;
}

/**
 * Returns values that the API server accepts in any number of objects, but that a controller or
 * webhook gives only to the first.
 * Examples are the address of a load balancer, and a host with a path.
 */
export function contendedValues(object: KubeObject): readonly ExclusiveValue[] {
  switch (kindKey(idOf(object))) {
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
