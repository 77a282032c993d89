import { type Json, listAt, numberAt, textAt } from "../json.ts";
import { groupOf, type KubeObject } from "../object.ts";

/** A value that the API server or a controller gives to one object only. */
export interface ExclusiveClaim {
  /** The identity of the value. Two objects with the same key conflict. */
  readonly key: string;
  readonly words: string;
  readonly path: readonly string[];
  /** The consequence for the second object. */
  readonly why: string;
  readonly fix: string;
}

/**
 * Returns the values that an object needs exclusively. `isKnown` reports whether a value is known
 * before the deployment.
 */
export function exclusiveClaims(
  object: KubeObject,
  isKnown: (value: string) => boolean = () => true,
): readonly ExclusiveClaim[] {
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case "/Service":
      return [...nodePortsOf(object), ...addressesOf(object, isKnown)];
    case "/PersistentVolumeClaim":
      return volumeOf(object, isKnown);
    case "scheduling.k8s.io/PriorityClass":
      return defaultOf(object);
    case "apiextensions.k8s.io/CustomResourceDefinition":
      return namesOf(object);
    default:
      return [];
  }
}

const ofServices = {
  why: "the server gives it to the one that comes first, and refuses the other",
  fix: "Give one of them another value, or leave it to the server",
};

/**
 * Returns the claims to node ports, for any protocol.
 * The server counts all protocols together. Only the ports of one Service can share a node port.
 */
function nodePortsOf(service: KubeObject): readonly ExclusiveClaim[] {
  const ports = listAt(service, "spec", "ports").flatMap((port, index) =>
    claimOfPort(numberAt(port, "nodePort"), ["spec", "ports", String(index), "nodePort"]),
  );
  const field = "healthCheckNodePort";
  const claims = [...ports, ...claimOfPort(numberAt(service, "spec", field), ["spec", field])];
  return [...new Map(claims.map((claim) => [claim.key, claim])).values()];
}

function claimOfPort(port: number | undefined, path: readonly string[]): readonly ExclusiveClaim[] {
  if (port === undefined || port === 0) return [];
  return [{ key: `node port ${port}`, words: `the node port ${port}`, path, ...ofServices }];
}

function addressesOf(
  service: KubeObject,
  isKnown: (value: string) => boolean,
): readonly ExclusiveClaim[] {
  const first = textAt(service, "spec", "clusterIP") ?? "";
  const texts = [first, ...listAt(service, "spec", "clusterIPs")].filter(isAddress).filter(isKnown);
  return [...new Set(texts)].map((address) => ({
    key: `address ${address}`,
    words: `the address ${address}`,
    path: ["spec", address === first ? "clusterIP" : "clusterIPs"],
    ...ofServices,
  }));
}

function isAddress(value: Json): value is string {
  return typeof value === "string" && !["", "None"].includes(value);
}

/**
 * Returns the claim to a PersistentVolume.
 * The controller binds the first claim that it processes. The other claim stays unbound.
 */
function volumeOf(
  claim: KubeObject,
  isKnown: (value: string) => boolean,
): readonly ExclusiveClaim[] {
  const volume = textAt(claim, "spec", "volumeName") ?? "";
  if (volume === "" || !isKnown(volume)) return [];
  return [
    {
      key: `volume ${volume}`,
      words: `PersistentVolume ${volume}`,
      path: ["spec", "volumeName"],
      why: "a volume is bound to the claim that comes first, and the other one waits for it",
      fix: "Give each a volume of its own",
    },
  ];
}

function defaultOf(object: KubeObject): readonly ExclusiveClaim[] {
  if (object["globalDefault"] !== true) return [];
  return [
    {
      key: "default PriorityClass",
      words: "to be the default PriorityClass",
      path: ["globalDefault"],
      why: "a cluster has one, and the server refuses the other",
      fix: "Leave globalDefault to one of them",
    },
  ];
}

const ofDefinitions = {
  why: "the server accepts each name in a group for one definition only, and never serves the kind of the other",
  fix: "Give one of them other names, or another group",
};

/**
 * Returns the claims to the names of a CustomResourceDefinition.
 * Kinds and resources are separate. Within each of them, all names are equal (NamesAccepted).
 */
function namesOf(definition: KubeObject): readonly ExclusiveClaim[] {
  const { spec } = definition;
  const group = textAt(spec, "group") ?? "";
  const claim = (sort: string, name: string, field: string): ExclusiveClaim => ({
    key: nameInGroup(group, sort, name),
    words: `the ${sort} ${name} of ${group}`,
    path: ["spec", "names", field],
    ...ofDefinitions,
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

export function nameInGroup(group: string, sort: string, name: string): string {
  return `${group} ${sort} ${name}`;
}
