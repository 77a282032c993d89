import { podSpecOf } from "../../model/cluster/pods.ts";
import { servingServices } from "../../model/cluster/serving-services.ts";
import { at, isObject, listAt, textAt } from "../../model/json.ts";
import { type KubeObject, keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { classKinds, whatMayBeItsDefault } from "./default-edges.ts";
import type { Link } from "./graph.ts";
import { madeSecrets } from "./made-secrets.ts";
import {
  boundAccounts,
  itsClasses,
  itsGateways,
  itsRole,
  itsStorageClass,
  whatItBinds,
  whatItScales,
  whatItSwitches,
  whatMakesItsSecret,
  whoseTemplateItHas,
  whoseTokenItHolds,
} from "./named-edges.ts";
import {
  type Found,
  whatItsAccountGives,
  whatItsAccountMayDo,
  whatItsPodsRead,
  whatPlacesItsPods,
} from "./pod-edges.ts";

/** The objects that `object` must wait for by the nature of its kind; those that are not declared do not count. */
type Rule = (object: DeclaredObject, all: Declared) => readonly Edge[];

/** All declared objects, and those that others are looked up by: with thousands, nobody can look through all for each. */
interface Declared {
  readonly objects: readonly DeclaredObject[];
  /** CustomResourceDefinitions by `group/Kind` of what they define. */
  readonly definitions: Found;
  /** What converts between the versions of each definition, by its key. */
  readonly converters: ReadonlyMap<string, readonly Edge[]>;
  /** What operators make Secrets of, by `namespace/name` of the Secret. */
  readonly secretMakers: Found;
  /** ServiceAccounts by their keys. */
  readonly accounts: Found;
  /** LimitRanges by their namespace. */
  readonly limitRanges: Found;
  /** ResourceQuotas by their namespace. */
  readonly quotas: Found;
  /** Classes by `group/Kind`. */
  readonly classes: Found;
  readonly namespaces: readonly DeclaredObject[];
  /** Bindings by the key of each account that they give a role. */
  readonly bindings: Found;
}

/**
 * The rules of docs/reference/deployment.md#implicit-dependencies. Their order matters: a link that would close a cycle is
 * dropped, so of two that contradict each other the earlier, without which the server would refuse the object, wins.
 */
const rules: readonly Rule[] = [
  itsNamespace,
  itsDefinition,
  whoseTokenItHolds,
  whatItBinds,
  whatItsPodsRead,
  whatItsAccountGives,
  whatItSwitches,
  whoseTemplateItHas,
  whatItsAccountMayDo,
  whatPlacesItsPods,
  whatLimitsIt,
  whatCountsIt,
  itsGateways,
  whatItScales,
  whatMakesItsSecret,
  itsStorageClass,
  (object, { classes }) => whatMayBeItsDefault(object, classes),
  whatConvertsIt,
  everythingBeforeAdmission,
];

/**
 * What an object can't do its work without, whether that is declared or not: a role that it grants, a class without which no Pod
 * starts, what it scales. Others are waited for, and work goes on where they go.
 */
export function vitalEdges(object: DeclaredObject): readonly Edge[] {
  const vital = [
    whoseTokenItHolds,
    itsRole,
    whatItSwitches,
    whoseTemplateItHas,
    itsClasses,
    itsGateways,
    whatItScales,
    whatMakesItsSecret,
  ];
  return vital.flatMap((rule) => rule(object));
}

/** All links that follow from the objects themselves, the most necessary first, then by key. */
export function implicitLinks(objects: readonly DeclaredObject[]): readonly Link[] {
  const declared = new Set(objects.map((object) => object.key));
  const all = lookUp(objects);
  return rules.flatMap((rule) =>
    objects.flatMap((object) =>
      rule(object, all)
        .filter((edge) => declared.has(edge.on) && edge.on !== object.key)
        .map((edge) => ({ from: object.key, ...edge })),
    ),
  );
}

function lookUp(objects: readonly DeclaredObject[]): Declared {
  const definitions = objects.filter(({ id }) => id.kind === "CustomResourceDefinition");
  return {
    objects,
    definitions: foundBy(objects, definedKinds),
    converters: new Map(definitions.map((each) => [each.key, convertersOf(each, objects)])),
    secretMakers: foundBy(objects, madeSecrets),
    accounts: foundBy(objects, ({ id, key }) =>
      id.group === "" && id.kind === "ServiceAccount" ? [key] : [],
    ),
    limitRanges: foundBy(objects, namespaceOf("LimitRange")),
    quotas: foundBy(objects, namespaceOf("ResourceQuota")),
    classes: foundBy(objects, classKinds),
    namespaces: objects.filter(({ id }) => id.group === "" && id.kind === "Namespace"),
    bindings: foundBy(objects, (object) => boundAccounts(object).map(({ id }) => keyOf(id))),
  };
}

/** The objects under each of their names, in their order. */
function foundBy(
  objects: readonly DeclaredObject[],
  namesOf: (object: DeclaredObject) => readonly string[],
): Found {
  const named = objects.flatMap((object) =>
    [...new Set(namesOf(object))].map((name) => ({ name, object })),
  );
  const groups = Map.groupBy(named, ({ name }) => name);
  return new Map([...groups].map(([name, all]) => [name, all.map(({ object }) => object)]));
}

function itsNamespace({ id }: DeclaredObject): readonly Edge[] {
  if (id.namespace === "") return [];
  return [to("", "Namespace", "", id.namespace, "it is in this namespace")];
}

function itsDefinition({ id }: DeclaredObject, { definitions }: Declared): readonly Edge[] {
  const found = definitions.get(`${id.group}/${id.kind}`) ?? [];
  return found.map(({ key }) => ({ on: key, reason: "it defines this kind" }));
}

function definedKinds({ id, object }: DeclaredObject): readonly string[] {
  const group = textAt(object, "spec", "group");
  const kind = textAt(object, "spec", "names", "kind");
  const defines = id.kind === "CustomResourceDefinition" && group !== undefined;
  return defines && kind !== undefined ? [`${group}/${kind}`] : [];
}

function namespaceOf(kind: "LimitRange" | "ResourceQuota") {
  return ({ id }: DeclaredObject): readonly string[] =>
    id.group === "" && id.kind === kind ? [id.namespace] : [];
}

/** What is created a moment earlier is refused by the quota of before, or not counted by the new one. */
function whatCountsIt({ id }: DeclaredObject, { quotas }: Declared): readonly Edge[] {
  if (id.group === "" && uncounted.has(id.kind)) return [];
  const found = quotas.get(id.namespace) ?? [];
  return found.map(({ key: on }) => ({ on, reason: "it counts what is in its namespace" }));
}

const uncounted: ReadonlySet<string> = new Set(["Namespace", "LimitRange", "ResourceQuota"]);

function whatLimitsIt({ id }: DeclaredObject, { limitRanges }: Declared): readonly Edge[] {
  if (id.group !== "" || id.kind !== "PersistentVolumeClaim") return [];
  const found = limitRanges.get(id.namespace) ?? [];
  return found.map(({ key: on }) => ({ on, reason: "it limits claims" }));
}

/** Written in another version than that in which it is stored, it is refused until the webhook of its definition answers. */
function whatConvertsIt(
  { id, object }: DeclaredObject,
  { definitions, converters }: Declared,
): readonly Edge[] {
  const found = definitions.get(`${id.group}/${id.kind}`) ?? [];
  const version = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
  return found
    .filter((definition) => !isStoredIn(version, definition.object))
    .flatMap(({ key }) => converters.get(key) ?? []);
}

function isStoredIn(version: string, definition: KubeObject): boolean {
  return listAt(definition, "spec", "versions").some(
    (each) => textAt(each, "name") === version && at(each, "storage") === true,
  );
}

/** The Service that converts between the versions of a definition, and what makes the Pods behind it. */
function convertersOf(
  { object }: DeclaredObject,
  objects: readonly DeclaredObject[],
): readonly Edge[] {
  return servingServices(object).flatMap(({ id }) => [
    { on: keyOf(id), reason: "it converts objects of this kind" },
    ...podsBehind(id, objects).map(({ key: on }) => ({
      ...{ on, reason: "its Pods convert objects of this kind" },
    })),
  ]);
}

function podsBehind(
  service: ObjectId,
  objects: readonly DeclaredObject[],
): readonly DeclaredObject[] {
  const declared = objects.find(({ key }) => key === keyOf(service));
  const selector = at(declared?.object, "spec", "selector");
  if (!isObject(selector) || Object.keys(selector).length === 0) return [];
  return objects.filter(({ id, object }) => {
    const pod = podSpecOf(object);
    if (pod === undefined || id.namespace !== service.namespace) return false;
    const labels = at(object, ...pod.path.slice(0, -1), "metadata", "labels");
    return Object.entries(selector).every(([label, value]) => at(labels, label) === value);
  });
}

/** Admission policies, webhooks and API services can stop every request, so nothing of their stage comes after them. */
function everythingBeforeAdmission(object: DeclaredObject, { objects }: Declared): readonly Edge[] {
  if (!comesLast(object.id)) return [];
  return objects
    .filter((other) => other.stage === object.stage && !comesLast(other.id))
    .map(({ key }) => ({ on: key, reason: `a ${object.id.kind} comes last` }));
}

function comesLast({ group, kind }: ObjectId): boolean {
  return (
    group === "admissionregistration.k8s.io" ||
    (group === "apiregistration.k8s.io" && kind === "APIService")
  );
}

function to(group: string, kind: string, namespace: string, name: string, reason: string): Edge {
  return { on: keyOf({ group, kind, namespace, name }), reason };
}
