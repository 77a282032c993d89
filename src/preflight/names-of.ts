import { namedClasses } from "../model/cluster/pod-placement.ts";
import { podReferences, podSpecOf } from "../model/cluster/pods.ts";
import { at, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { groupOf, idOf, type KubeObject, type ObjectId } from "../model/object.ts";

type Named = Pick<ObjectId, "kind" | "name">;

/** A kind whose objects name others besides what Pods name. */
interface Naming {
  readonly kind: readonly [apiVersion: string, kind: string];
  readonly names: readonly string[];
  readonly of: (object: JsonObject) => readonly Named[];
}

/** What stops working, not only what refuses to start, where an object goes that it names. */
const namings: readonly Naming[] = [
  {
    kind: ["networking.k8s.io/v1", "Ingress"],
    names: ["Service", "Secret", "IngressClass"],
    of: (ingress) => [
      ...named("IngressClass", textAt(ingress, "spec", "ingressClassName")),
      ...named("Service", textAt(ingress, "spec", "defaultBackend", "service", "name")),
      ...listAt(ingress, "spec", "rules").flatMap((rule) =>
        listAt(rule, "http", "paths").flatMap((path) =>
          named("Service", textAt(path, "backend", "service", "name")),
        ),
      ),
      ...listAt(ingress, "spec", "tls").flatMap((tls) =>
        named("Secret", textAt(tls, "secretName")),
      ),
    ],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    names: ["Role", "ClusterRole", "ServiceAccount"],
    of: (binding) => [
      ...byKind(["Role", "ClusterRole"], at(binding, "roleRef")),
      ...listAt(binding, "subjects").flatMap((subject) => byKind(["ServiceAccount"], subject)),
    ],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    names: ["ClusterRole"],
    of: (binding) => byKind(["ClusterRole"], at(binding, "roleRef")),
  },
  {
    kind: ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"],
    names: ["ValidatingAdmissionPolicy"],
    of: (binding) => named("ValidatingAdmissionPolicy", textAt(binding, "spec", "policyName")),
  },
  {
    kind: ["v1", "PersistentVolumeClaim"],
    names: ["StorageClass"],
    of: itsStorageClass,
  },
  {
    kind: ["apps/v1", "StatefulSet"],
    names: ["StorageClass"],
    of: (set) => listAt(set, "spec", "volumeClaimTemplates").flatMap(itsStorageClass),
  },
  {
    kind: ["autoscaling/v2", "HorizontalPodAutoscaler"],
    names: ["Deployment", "StatefulSet", "ReplicaSet", "Rollout"],
    of: (scaler) => byKind(scaled, at(scaler, "spec", "scaleTargetRef")),
  },
  {
    kind: ["gateway.networking.k8s.io/v1", "HTTPRoute"],
    names: ["Service", "Gateway"],
    of: (route) => [
      ...listAt(route, "spec", "parentRefs").flatMap((ref) =>
        named("Gateway", textAt(ref, "kind") === undefined ? textAt(ref, "name") : undefined),
      ),
      ...listAt(route, "spec", "rules").flatMap((rule) =>
        listAt(rule, "backendRefs").flatMap((ref) =>
          named(
            "Service",
            (textAt(ref, "kind") ?? "Service") === "Service" ? textAt(ref, "name") : undefined,
          ),
        ),
      ),
    ],
  },
  {
    kind: ["v1", "ServiceAccount"],
    names: ["Secret"],
    of: (account) =>
      listAt(account, "imagePullSecrets").flatMap((ref) => named("Secret", textAt(ref, "name"))),
  },
];

const scaled = ["Deployment", "StatefulSet", "ReplicaSet", "Rollout"];

const namedByPods: ReadonlySet<string> = new Set([
  ...["ConfigMap", "Secret", "PersistentVolumeClaim", "ServiceAccount"],
]);

/** Kinds besides workloads to be read, to know who names objects like these; none where nobody names them. */
export function kindsThatName(ids: readonly ObjectId[]): readonly Naming["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return namings
    .filter(({ names }) => names.some((kind) => kinds.has(kind)))
    .map(({ kind }) => kind);
}

/** Whether Pods may name an object of this kind. */
export function isNamedByPods({ group, kind }: ObjectId): boolean {
  return group === "" && namedByPods.has(kind);
}

/** Whether what names it can't do its work without it, so that a deployment that would delete it is refused. */
export function isVital(id: Pick<ObjectId, "kind">): boolean {
  return isClassOfPods(id) || ["Role", "ClusterRole", "Gateway"].includes(id.kind);
}

/** Whether it is a class without which the server refuses every Pod that names it. */
export function isClassOfPods({ kind }: Pick<ObjectId, "kind">): boolean {
  return kind === "PriorityClass" || kind === "RuntimeClass";
}

/** The objects that an object names, by kind and name: those of its namespace, and of the whole cluster. */
export function namesOf(object: KubeObject): readonly Named[] {
  const pods = podSpecOf(object);
  const { kind, group } = idOf(object);
  const naming = namings.find((each) => each.kind[1] === kind && groupOf(each.kind[0]) === group);
  return [
    ...(pods === undefined ? [] : [...podReferences(pods.spec), ...namedClasses(pods.spec)]),
    ...(naming?.of(object) ?? []),
  ];
}

function itsStorageClass(claim: Json): readonly Named[] {
  return named("StorageClass", textAt(claim, "spec", "storageClassName"));
}

function named(kind: string, name: string | undefined): readonly Named[] {
  return name === undefined ? [] : [{ kind, name }];
}

function byKind(kinds: readonly string[], reference: Json | undefined): readonly Named[] {
  const kind = textAt(reference, "kind") ?? "";
  return kinds.includes(kind) ? named(kind, textAt(reference, "name")) : [];
}
