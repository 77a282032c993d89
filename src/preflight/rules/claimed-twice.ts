import { type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import {
  addressOf,
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectId,
} from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { isKnownLater } from "../../redaction/shown-change.ts";
import type { ClusterFacts } from "../facts.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * What the server gives to one object only, and two objects that are about to be written claim: each is accepted as long as the other
 * is not there, also in a dry-run. What a live object keeps is refused in the dry-run of any other.
 */
export function claimedTwice({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const first = new Map<string, ObjectId>(heldNames(facts));
  for (const { id, desired, live } of facts.earlier) {
    for (const { key } of newClaims(desired, live)) if (!first.has(key)) first.set(key, id);
  }
  return plan.changes
    .filter(isWritten)
    .flatMap(({ id, key, desired, live }): readonly Finding[] => {
      const where = declaredAt({ where: placeOf(key) });
      const found = newClaims(desired, live).flatMap((claim): readonly Finding[] => {
        const other = first.get(claim.key);
        if (other === undefined) first.set(claim.key, id);
        if (other === undefined || nameOf(other) === nameOf(id)) return [];
        const { words, path, why, fix } = claim;
        const what = `${nameOf(id)} claims ${words}, and ${nameOf(other)} claims it, too`;
        const about = { object: addressOf(desired), where, path };
        return [{ code: "claimed-twice", severity: "error", what, why, fix, ...about }];
      });
      // More of the same between the same two says nothing new.
      return found.slice(0, 1);
    });
}

/** By the definitions that are there: a dry-run of another one says nothing of them. */
function heldNames({
  kinds,
  earlierDeleted,
}: ClusterFacts): readonly (readonly [string, ObjectId])[] {
  const gone = new Set(earlierDeleted.map(({ live }) => keyOf(idOf(live))));
  return kinds.flatMap(({ group, kind, plural, names = [] }) => {
    const id = { ...definition, name: `${plural}.${group}` };
    const claims = [
      nameKey(group, "kind", kind),
      nameKey(group, "kind", `${kind}List`),
      ...[plural, ...names].map((name) => nameKey(group, "resource", name)),
    ];
    return gone.has(keyOf(id)) ? [] : claims.map((key) => [key, id] as const);
  });
}

const definition = {
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  namespace: "",
} as const;

function nameKey(group: string, sort: string, name: string): string {
  return `${group} ${sort} ${name}`;
}

/** It is one object's, by its key. */
interface Claim extends Pick<Finding, "why" | "fix" | "path"> {
  readonly key: string;
  readonly words: string;
}

function isWritten({ action }: Change): boolean {
  return action !== "unchanged";
}

function newClaims(desired: KubeObject, live: KubeObject | undefined): readonly Claim[] {
  const held = new Set(live === undefined ? [] : claimsOf(live).map(({ key }) => key));
  return claimsOf(desired).filter(({ key }) => !held.has(key));
}

function claimsOf(object: KubeObject): readonly Claim[] {
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case "/Service":
      return [...nodePortsOf(object), ...addressesOf(object)];
    case "/PersistentVolumeClaim":
      return volumeOf(object);
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

/** Whatever their protocol: the server counts them together, and only ports of one Service may share one. */
function nodePortsOf(service: KubeObject): readonly Claim[] {
  const ports = listAt(service, "spec", "ports").flatMap((port, index) =>
    claimOfPort(numberAt(port, "nodePort"), ["spec", "ports", String(index), "nodePort"]),
  );
  const field = "healthCheckNodePort";
  const claims = [...ports, ...claimOfPort(numberAt(service, "spec", field), ["spec", field])];
  return [...new Map(claims.map((claim) => [claim.key, claim])).values()];
}

function claimOfPort(port: number | undefined, path: readonly string[]): readonly Claim[] {
  if (port === undefined || port === 0) return [];
  return [{ key: `node port ${port}`, words: `the node port ${port}`, path, ...ofServices }];
}

function addressesOf(service: KubeObject): readonly Claim[] {
  const first = textAt(service, "spec", "clusterIP") ?? "";
  const texts = [first, ...listAt(service, "spec", "clusterIPs")].filter(isAddress);
  return [...new Set(texts)].map((address) => ({
    key: `address ${address}`,
    words: `the address ${address}`,
    path: ["spec", address === first ? "clusterIP" : "clusterIPs"],
    ...ofServices,
  }));
}

function isAddress(value: Json): value is string {
  return typeof value === "string" && !["", "None"].includes(value) && !isKnownLater(value);
}

/** The controller binds the first that it comes to, and the other one waits for ever. */
function volumeOf(claim: KubeObject): readonly Claim[] {
  const volume = textAt(claim, "spec", "volumeName") ?? "";
  if (volume === "" || isKnownLater(volume)) return [];
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

function defaultOf(object: KubeObject): readonly Claim[] {
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

/** Kinds and resources are told apart, and within each of the two all names count alike (NamesAccepted). */
function namesOf(definition: KubeObject): readonly Claim[] {
  const { spec } = definition;
  const group = textAt(spec, "group") ?? "";
  const claim = (sort: string, name: string, field: string): Claim => ({
    key: nameKey(group, sort, name),
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
