import { type Json, listAt, textAt } from "../../model/json.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import { podReferences, serviceAccountOf } from "../../model/pod-references.ts";
import { podSpecOf } from "../../model/pod-spec.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { Link } from "./graph.ts";

/** The objects that `object` must wait for by the nature of its kind; those that are not declared do not count. */
type Rule = (object: DesiredObject, all: Declared) => readonly Edge[];

/** All declared objects, and those that others are looked up by: with thousands, nobody can look through all for each. */
interface Declared {
  readonly objects: readonly DesiredObject[];
  /** CustomResourceDefinitions by `group/Kind` of what they define. */
  readonly definitions: Found;
  /** ExternalSecrets by `namespace/name` of the Secret that they stand for. */
  readonly secretMakers: Found;
  /** Bindings by the key of each account that they give a role. */
  readonly bindings: Found;
}

type Found = ReadonlyMap<string, readonly DesiredObject[]>;

/**
 * The rules of deploy.md §1. Their order matters: a link that would close a cycle is dropped, so of two that
 * contradict each other the earlier, without which the server would refuse the object, wins.
 */
const rules: readonly Rule[] = [
  itsNamespace,
  itsDefinition,
  whatItBinds,
  whatItsPodsRead,
  whatItSwitches,
  whatItsAccountMayDo,
  itsStorageClass,
  everythingBeforeAdmission,
];

/** All links that follow from the objects themselves, the most necessary first, then by key. */
export function implicitLinks(objects: readonly DesiredObject[]): readonly Link[] {
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

function lookUp(objects: readonly DesiredObject[]): Declared {
  return {
    objects,
    definitions: foundBy(objects, definedKinds),
    secretMakers: foundBy(objects, madeSecrets),
    bindings: foundBy(objects, boundAccounts),
  };
}

/** The objects under each of their names, in their order. */
function foundBy(
  objects: readonly DesiredObject[],
  namesOf: (object: DesiredObject) => readonly string[],
): Found {
  const named = objects.flatMap((object) =>
    [...new Set(namesOf(object))].map((name) => ({ name, object })),
  );
  const groups = Map.groupBy(named, ({ name }) => name);
  return new Map([...groups].map(([name, all]) => [name, all.map(({ object }) => object)]));
}

function itsNamespace({ id }: DesiredObject): readonly Edge[] {
  if (id.namespace === "") return [];
  return [to("", "Namespace", "", id.namespace, "it is in this namespace")];
}

function itsDefinition({ id }: DesiredObject, { definitions }: Declared): readonly Edge[] {
  const found = definitions.get(`${id.group}/${id.kind}`) ?? [];
  return found.map(({ key }) => ({ on: key, reason: "it defines this kind" }));
}

function definedKinds({ id, object }: DesiredObject): readonly string[] {
  const group = textAt(object, "spec", "group");
  const kind = textAt(object, "spec", "names", "kind");
  const defines = id.kind === "CustomResourceDefinition" && group !== undefined;
  return defines && kind !== undefined ? [`${group}/${kind}`] : [];
}

function whatItBinds(object: DesiredObject): readonly Edge[] {
  if (!isBinding(object.id)) return [];
  const kind = textAt(object.object, "roleRef", "kind") ?? "";
  const name = textAt(object.object, "roleRef", "name") ?? "";
  const namespace = kind === "Role" ? object.id.namespace : "";
  return [
    to(rbac, kind, namespace, name, "it grants this role"),
    ...boundAccounts(object).map((on) => ({ on, reason: "it grants a role to this account" })),
  ];
}

function whatItsPodsRead(
  { id, object }: DesiredObject,
  { secretMakers }: Declared,
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  return podReferences(pod.spec).flatMap(({ kind, name }) => {
    const named = to("", kind, id.namespace, name, `its Pods use this ${kind}`);
    if (kind !== "Secret") return [named];
    const makers = secretMakers.get(`${id.namespace}/${name}`) ?? [];
    const reason = `its Pods use the Secret ${name} that this makes`;
    return [named, ...makers.map(({ key: on }) => ({ on, reason }))];
  });
}

/** An ExternalSecret stands for the Secret that its operator will make. */
function madeSecrets({ id, object }: DesiredObject): readonly string[] {
  if (id.group !== "external-secrets.io" || id.kind !== "ExternalSecret") return [];
  return [`${id.namespace}/${textAt(object, "spec", "target", "name") ?? id.name}`];
}

/** Argo Rollouts finds a Rollout invalid whose Services it has not seen yet. */
function whatItSwitches({ id, object }: DesiredObject): readonly Edge[] {
  if (id.group !== "argoproj.io" || id.kind !== "Rollout") return [];
  return switchedServices.flatMap(([strategy, field]) => {
    const name = textAt(object, "spec", "strategy", strategy, field);
    if (name === undefined) return [];
    return [to("", "Service", id.namespace, name, "it directs this Service to its Pods")];
  });
}

const switchedServices = [
  ["blueGreen", "activeService"],
  ["blueGreen", "previewService"],
  ["canary", "stableService"],
  ["canary", "canaryService"],
] as const;

function whatItsAccountMayDo(
  { id, object }: DesiredObject,
  { bindings }: Declared,
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const account = serviceAccountOf(pod.spec);
  const key = keyOf({ group: "", kind: "ServiceAccount", namespace: id.namespace, name: account });
  const reason = `its Pods run as ${account}, which this gives a role`;
  return (bindings.get(key) ?? []).map(({ key: on }) => ({ on, reason }));
}

function boundAccounts({ id, object }: DesiredObject): readonly string[] {
  if (!isBinding(id)) return [];
  return listAt(object, "subjects")
    .map((subject) => accountKey(subject, id.namespace))
    .filter((key) => key !== undefined);
}

function itsStorageClass({ id, object }: DesiredObject): readonly Edge[] {
  const claims: readonly Json[] =
    id.group === "" && id.kind === "PersistentVolumeClaim"
      ? [object]
      : listAt(object, "spec", "volumeClaimTemplates");
  return claims.flatMap((claim) => {
    const name = textAt(claim, "spec", "storageClassName");
    if (name === undefined) return [];
    return [to("storage.k8s.io", "StorageClass", "", name, "it asks for this storage class")];
  });
}

/** Admission webhooks and API services can stop every request, so nothing of their stage comes after them. */
function everythingBeforeAdmission(object: DesiredObject, { objects }: Declared): readonly Edge[] {
  if (!comesLast(object.id)) return [];
  return objects
    .filter((other) => other.stage === object.stage && !comesLast(other.id))
    .map(({ key }) => ({ on: key, reason: `a ${object.id.kind} comes last` }));
}

function comesLast({ group, kind }: ObjectId): boolean {
  return (
    (group === "admissionregistration.k8s.io" && /WebhookConfiguration$/.test(kind)) ||
    (group === "apiregistration.k8s.io" && kind === "APIService")
  );
}

const rbac = "rbac.authorization.k8s.io";

function isBinding({ group, kind }: ObjectId): boolean {
  return group === rbac && (kind === "RoleBinding" || kind === "ClusterRoleBinding");
}

function accountKey(subject: Json, fallback: string): string | undefined {
  const name = textAt(subject, "name");
  if (textAt(subject, "kind") !== "ServiceAccount" || name === undefined) return undefined;
  const namespace = textAt(subject, "namespace") ?? fallback;
  return keyOf({ group: "", kind: "ServiceAccount", namespace, name });
}

function to(group: string, kind: string, namespace: string, name: string, reason: string): Edge {
  return { on: keyOf({ group, kind, namespace, name }), reason };
}
