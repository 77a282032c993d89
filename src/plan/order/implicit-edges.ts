import { calledServices } from "../../model/cluster/called-services.ts";
import { isCrd, isStoredVersion } from "../../model/cluster/namespaces-and-crds.ts";
import { isClaim } from "../../model/cluster/persistent-volume-claims.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { boundPolicies, isParameter } from "../../model/cluster/policy-parameters.ts";
import { canBlockRequests, isNamespacePolicy } from "../../model/governors.ts";
import { at, isObject, textAt } from "../../model/json.ts";
import { isCoreKind, kindKey } from "../../model/kinds.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import {
  bindingEdges,
  boundServiceAccounts,
  classKinds,
  defaultClassEdges,
  gatewayEdges,
  type ObjectsByName,
  operatorSecrets,
  podClassEdges,
  podPlacementEdges,
  podReferenceEdges,
  pullSecretEdges,
  roleEdges,
  rolloutServiceEdges,
  scaleTargetEdges,
  secretStoreEdges,
  serviceAccountBindingEdges,
  storageClassEdges,
  tokenEdges,
  workloadRefEdges,
} from "./named-edges.ts";
import type { Link } from "./order.ts";

/**
 * A rule that lists the dependencies of an object by its kind.
 * Dependencies that aren't declared don't count.
 */
type EdgeRule = (object: DeclaredObject, all: DeclaredIndex) => readonly Edge[];

/**
 * All declared objects, with maps to look them up.
 * With thousands of objects, a search through all of them for each object would take too long.
 */
interface DeclaredIndex {
  readonly objects: readonly DeclaredObject[];
  /** The CustomResourceDefinitions, by the `group/Kind` that they define. */
  readonly crds: ObjectsByName;
  /** The objects that convert between the versions of each definition, by its key. */
  readonly converters: ReadonlyMap<string, readonly Edge[]>;
  /** The objects from which operators create Secrets, by `namespace/name` of the Secret. */
  readonly secretMakers: ObjectsByName;
  /** The ServiceAccounts, by key. */
  readonly accounts: ObjectsByName;
  /** The LimitRanges, by namespace. */
  readonly limitRanges: ObjectsByName;
  /** The ResourceQuotas, by namespace. */
  readonly quotas: ObjectsByName;
  /** The classes, by `group/Kind`. */
  readonly classes: ObjectsByName;
  readonly namespaces: readonly DeclaredObject[];
  /** The keys of the objects that declared policies read as parameters. */
  readonly parameters: ReadonlySet<string>;
  /** The bindings, by the key of each ServiceAccount that they give a role. */
  readonly bindings: ObjectsByName;
}

/**
 * The rules of docs/reference/deployment.md#implicit-dependencies.
 * Their order matters, because a link that would close a cycle is dropped. If two links contradict
 * each other, the earlier one wins: without it, the API server would reject the object.
 */
const rules: readonly EdgeRule[] = [
  namespaceEdges,
  crdEdges,
  tokenEdges,
  bindingEdges,
  podReferenceEdges,
  pullSecretEdges,
  rolloutServiceEdges,
  workloadRefEdges,
  serviceAccountBindingEdges,
  podPlacementEdges,
  limitRangeEdges,
  quotaEdges,
  gatewayEdges,
  scaleTargetEdges,
  secretStoreEdges,
  storageClassEdges,
  (object, { classes }) => defaultClassEdges(object, classes),
  conversionEdges,
  admissionEdges,
];

/**
 * Returns the dependencies without which an object can't work, whether they are declared or not.
 * Examples are a role that it grants, a class without which no Pod starts, and the target that it
 * scales. An object also waits for other dependencies, but works without them later.
 */
export function vitalEdges(object: DeclaredObject): readonly Edge[] {
  const vitalRules = [
    tokenEdges,
    roleEdges,
    rolloutServiceEdges,
    workloadRefEdges,
    podClassEdges,
    gatewayEdges,
    scaleTargetEdges,
    secretStoreEdges,
  ];
  return vitalRules.flatMap((rule) => rule(object));
}

/**
 * Returns all links that follow from the objects themselves, the most necessary first, then by key.
 */
export function implicitLinks(objects: readonly DeclaredObject[]): readonly Link[] {
  const declared = new Set(objects.map((object) => object.key));
  const all = indexObjects(objects);
  return rules.flatMap((rule) =>
    objects.flatMap((object) =>
      rule(object, all)
        .filter((edge) => declared.has(edge.on) && edge.on !== object.key)
        .map((edge) => ({ from: object.key, ...edge })),
    ),
  );
}

/** Returns the declared objects without which the Pods of a Job of a check can't start. */
export function jobEdges(job: DeclaredObject, objects: readonly DeclaredObject[]): readonly Edge[] {
  const all = indexObjects(objects);
  return [namespaceEdges, podReferenceEdges, pullSecretEdges, serviceAccountBindingEdges].flatMap(
    (rule) => rule(job, all),
  );
}

export function indexObjects(objects: readonly DeclaredObject[]): DeclaredIndex {
  const crds = objects.filter(({ id }) => isCrd(id));
  return {
    objects,
    crds: groupByName(objects, definedKinds),
    converters: new Map(crds.map((each) => [each.key, converterEdges(each, objects)])),
    secretMakers: groupByName(objects, operatorSecrets),
    accounts: groupByName(objects, ({ id, key }) =>
      isCoreKind(id, "ServiceAccount") ? [key] : [],
    ),
    limitRanges: groupByName(objects, namespaceKeys("LimitRange")),
    quotas: groupByName(objects, namespaceKeys("ResourceQuota")),
    classes: groupByName(objects, classKinds),
    namespaces: objects.filter(({ id }) => isCoreKind(id, "Namespace")),
    parameters: policyParameters(objects),
    bindings: groupByName(objects, (object) =>
      boundServiceAccounts(object).map(({ id }) => keyOf(id)),
    ),
  };
}

function policyParameters(objects: readonly DeclaredObject[]): ReadonlySet<string> {
  const bound = boundPolicies(objects.map(({ object }) => object));
  const parameters = objects.filter(({ object }) =>
    bound.some((each) => isParameter(object, each)),
  );
  return new Set(parameters.map(({ key }) => key));
}

/** Groups the objects by each of their names and keeps their order. */
function groupByName(
  objects: readonly DeclaredObject[],
  listNames: (object: DeclaredObject) => readonly string[],
): ObjectsByName {
  const named = objects.flatMap((object) =>
    [...new Set(listNames(object))].map((name) => ({ name, object })),
  );
  const groups = Map.groupBy(named, ({ name }) => name);
  return new Map([...groups].map(([name, all]) => [name, all.map(({ object }) => object)]));
}

function namespaceEdges({ id }: DeclaredObject): readonly Edge[] {
  if (id.namespace === "") return [];
  return [createEdge("", "Namespace", "", id.namespace, "it is in this namespace")];
}

function crdEdges({ id }: DeclaredObject, { crds }: DeclaredIndex): readonly Edge[] {
  const found = crds.get(kindKey(id)) ?? [];
  return found.map(({ key }) => ({ on: key, reason: "this defines its kind" }));
}

function definedKinds({ id, object }: DeclaredObject): readonly string[] {
  const group = textAt(object, "spec", "group");
  const kind = textAt(object, "spec", "names", "kind");
  const defines = isCrd(id) && group !== undefined;
  return defines && kind !== undefined ? [kindKey({ group, kind })] : [];
}

function namespaceKeys(kind: "LimitRange" | "ResourceQuota") {
  return ({ id }: DeclaredObject): readonly string[] =>
    isCoreKind(id, kind) ? [id.namespace] : [];
}

/**
 * Lists the quotas of the object's namespace.
 * Without the dependency, the former quota can reject the object, or the new quota doesn't count
 * it.
 */
function quotaEdges({ id }: DeclaredObject, { quotas }: DeclaredIndex): readonly Edge[] {
  if (isNamespacePolicy(id)) return [];
  const found = quotas.get(id.namespace) ?? [];
  return found.map(({ key: on }) => ({ on, reason: "this counts the objects of its namespace" }));
}

function limitRangeEdges({ id }: DeclaredObject, { limitRanges }: DeclaredIndex): readonly Edge[] {
  if (!isClaim(id)) return [];
  const found = limitRanges.get(id.namespace) ?? [];
  return found.map(({ key: on }) => ({ on, reason: "this limits PersistentVolumeClaims" }));
}

/**
 * Lists the dependencies of an object that isn't written in its stored version.
 * The API server rejects the object until the conversion webhook of its definition answers.
 */
function conversionEdges(
  { id, object }: DeclaredObject,
  { crds, converters }: DeclaredIndex,
): readonly Edge[] {
  const found = crds.get(kindKey(id)) ?? [];
  return found
    .filter((definition) => !isStoredVersion(definition.object, object.apiVersion))
    .flatMap(({ key }) => converters.get(key) ?? []);
}

/**
 * Lists the Services that convert between the versions of a definition, and the objects that create
 * their Pods.
 */
function converterEdges(
  { object }: DeclaredObject,
  objects: readonly DeclaredObject[],
): readonly Edge[] {
  return calledServices(object).flatMap(({ id }) => [
    { on: keyOf(id), reason: "this converts objects of its kind" },
    ...servingWorkloads(id, objects).map(({ key: on }) => ({
      ...{ on, reason: "the Pods of this convert objects of its kind" },
    })),
  ]);
}

/** Returns the workloads whose Pods a declared Service selects. */
export function servingWorkloads(
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

/**
 * Lists all other objects of the stage for an admission policy, a webhook or an API service.
 * These can block every request, so they are last in their stage. The parameters of a policy change
 * its decisions, so they are the last objects in front of them.
 */
function admissionEdges(
  object: DeclaredObject,
  { objects, parameters }: DeclaredIndex,
): readonly Edge[] {
  if (parameters.has(object.key)) {
    return objects
      .filter(({ stage, id, key }) => {
        return stage === object.stage && !canBlockRequests(id) && !parameters.has(key);
      })
      .map(({ key }) => ({ on: key, reason: "a parameter of a policy changes its decisions" }));
  }
  if (!canBlockRequests(object.id)) return [];
  return objects
    .filter((other) => other.stage === object.stage && !canBlockRequests(other.id))
    .map(({ key }) => ({ on: key, reason: `a ${object.id.kind} is the last of its stage` }));
}

function createEdge(
  group: string,
  kind: string,
  namespace: string,
  name: string,
  reason: string,
): Edge {
  return { on: keyOf({ group, kind, namespace, name }), reason };
}
