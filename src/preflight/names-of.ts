import { namedClasses } from "../model/cluster/pod-placement.ts";
import { podReferences, podSpecOf } from "../model/cluster/pods.ts";
import { referencesOf } from "../model/cluster/references.ts";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../model/object.ts";

/** A kind whose objects are read for what they name besides what Pods name. */
interface Naming {
  readonly kind: readonly [apiVersion: string, kind: string];
  /** Kinds of the same namespace, or of the whole cluster. */
  readonly within?: readonly string[];
  /** Kinds with namespaces that it names from outside of these. */
  readonly outside?: readonly string[];
}

/** What stops working, not only what refuses to start, where an object goes that it names. Nobody lists definitions for this, which are large. */
const namings: readonly Naming[] = [
  {
    kind: ["networking.k8s.io/v1", "Ingress"],
    within: ["Service", "Secret", "IngressClass"],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    within: ["Role", "ClusterRole", "ServiceAccount"],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    within: ["ClusterRole"],
    outside: ["ServiceAccount"],
  },
  ...["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"].map(
    (policy): Naming => ({
      kind: ["admissionregistration.k8s.io/v1", `${policy}Binding`],
      within: [policy],
    }),
  ),
  ...["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"].map(
    (kind): Naming => ({
      kind: ["admissionregistration.k8s.io/v1", kind],
      outside: ["Service"],
    }),
  ),
  { kind: ["apiregistration.k8s.io/v1", "APIService"], outside: ["Service"] },
  { kind: ["v1", "PersistentVolumeClaim"], within: ["StorageClass"] },
  { kind: ["apps/v1", "StatefulSet"], within: ["StorageClass"] },
  {
    kind: ["autoscaling/v2", "HorizontalPodAutoscaler"],
    within: ["Deployment", "StatefulSet", "ReplicaSet", "Rollout"],
  },
  // Most routes are of this kind.
  { kind: ["gateway.networking.k8s.io/v1", "HTTPRoute"], within: ["Service", "Gateway"] },
  { kind: ["gateway.networking.k8s.io/v1", "Gateway"], within: ["GatewayClass"] },
  { kind: ["v1", "ServiceAccount"], within: ["Secret"] },
];

/** Kinds besides workloads to be read, to know who names objects like these; none where nobody names them. */
export function kindsThatName(ids: readonly ObjectId[]): readonly Naming["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return namings
    .filter(({ within = [] }) => within.some((kind) => kinds.has(kind)))
    .map(({ kind }) => kind);
}

/** Kinds that name objects like these from outside of their namespaces. */
export function kindsThatNameFromOutside(ids: readonly ObjectId[]): readonly Naming["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return namings
    .filter(({ outside = [] }) => outside.some((kind) => kinds.has(kind)))
    .map(({ kind }) => kind);
}

/** Whether what names it can't do its work without it, so that a deployment that would delete it is refused. */
export function isVital(id: Pick<ObjectId, "kind">): boolean {
  return isClassOfPods(id) || ["Role", "ClusterRole", "Gateway"].includes(id.kind);
}

/** Whether it is a class without which the server refuses every Pod that names it. */
export function isClassOfPods({ kind }: Pick<ObjectId, "kind">): boolean {
  return kind === "PriorityClass" || kind === "RuntimeClass";
}

/** Whether an object, or its Pods, name another one. */
export function isNaming(object: KubeObject, id: ObjectId): boolean {
  const key = keyOf(id);
  return [...namedByItsPods(object), ...referencesOf(object)].some(
    (named) => keyOf(named.id) === key,
  );
}

function namedByItsPods(object: KubeObject): readonly { readonly id: ObjectId }[] {
  const pods = podSpecOf(object);
  if (pods === undefined) return [];
  const { namespace } = idOf(object);
  return [
    ...podReferences(pods.spec).map(({ kind, name }) => ({
      id: { group: "", kind, namespace, name },
    })),
    ...namedClasses(pods.spec).map((each) => ({ id: { ...each, namespace: "" } })),
  ];
}
