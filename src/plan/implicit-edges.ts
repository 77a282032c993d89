import { type Json, listAt, textAt } from "../model/json.ts";
import { keyOf, type ObjectId } from "../model/object.ts";
import type { Edge } from "../model/plan.ts";
import { podReferences, serviceAccountOf } from "../model/pod-references.ts";
import { podSpecOf } from "../model/pod-spec.ts";
import type { DesiredObject } from "./desired.ts";
import type { Link } from "./graph.ts";

/** The objects that `object` must wait for by the nature of its kind; those that are not declared do not count. */
type Rule = (object: DesiredObject, all: readonly DesiredObject[]) => readonly Edge[];

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
  return rules.flatMap((rule) =>
    objects.flatMap((object) =>
      rule(object, objects)
        .filter((edge) => declared.has(edge.on) && edge.on !== object.key)
        .map((edge) => ({ from: object.key, ...edge })),
    ),
  );
}

function itsNamespace({ id }: DesiredObject): readonly Edge[] {
  if (id.namespace === "") return [];
  return [to("", "Namespace", "", id.namespace, "it is in this namespace")];
}

function itsDefinition({ id }: DesiredObject, all: readonly DesiredObject[]): readonly Edge[] {
  return all
    .filter(
      ({ id: definition, object }) =>
        definition.kind === "CustomResourceDefinition" &&
        textAt(object, "spec", "group") === id.group &&
        textAt(object, "spec", "names", "kind") === id.kind,
    )
    .map(({ key }) => ({ on: key, reason: "it defines this kind" }));
}

function whatItBinds(object: DesiredObject): readonly Edge[] {
  if (!isBinding(object.id)) return [];
  const kind = textAt(object.object, "roleRef", "kind") ?? "";
  const name = textAt(object.object, "roleRef", "name") ?? "";
  const namespace = kind === "Role" ? object.id.namespace : "";
  const accounts = listAt(object.object, "subjects")
    .map((subject) => accountKey(subject, object.id.namespace))
    .filter((key) => key !== undefined);
  return [
    to(rbac, kind, namespace, name, "it grants this role"),
    ...accounts.map((on) => ({ on, reason: "it grants a role to this account" })),
  ];
}

function whatItsPodsRead(
  { id, object }: DesiredObject,
  all: readonly DesiredObject[],
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  return podReferences(pod.spec).flatMap(({ kind, name }) => {
    const named = to("", kind, id.namespace, name, `its Pods use this ${kind}`);
    return kind === "Secret" ? [named, ...makersOfSecret(name, id.namespace, all)] : [named];
  });
}

/** An ExternalSecret stands for the Secret that its operator will make. */
function makersOfSecret(
  name: string,
  namespace: string,
  all: readonly DesiredObject[],
): readonly Edge[] {
  return all
    .filter(
      ({ id, object }) =>
        id.group === "external-secrets.io" &&
        id.kind === "ExternalSecret" &&
        id.namespace === namespace &&
        (textAt(object, "spec", "target", "name") ?? id.name) === name,
    )
    .map(({ key }) => ({ on: key, reason: `its Pods use the Secret ${name} that this makes` }));
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
  all: readonly DesiredObject[],
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const account = serviceAccountOf(pod.spec);
  const key = keyOf({ group: "", kind: "ServiceAccount", namespace: id.namespace, name: account });
  return all
    .filter(
      (binding) =>
        isBinding(binding.id) &&
        listAt(binding.object, "subjects").some(
          (subject) => accountKey(subject, binding.id.namespace) === key,
        ),
    )
    .map(({ key: on }) => ({ on, reason: `its Pods run as ${account}, which this gives a role` }));
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
function everythingBeforeAdmission(
  object: DesiredObject,
  all: readonly DesiredObject[],
): readonly Edge[] {
  if (!comesLast(object.id)) return [];
  return all
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
