import { objectReferences } from "../model/cluster/object-references.ts";
import { podClasses } from "../model/cluster/pod-placement.ts";
import { podReferences, podSpecOf } from "../model/cluster/pods.ts";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../model/object.ts";

/** A kind whose objects qvs reads for the names in them, in addition to those that Pods name. */
interface Naming {
  readonly kind: readonly [apiVersion: string, kind: string];
  /** Kinds of the same namespace, or cluster-scoped kinds, that it names. */
  readonly within?: readonly string[];
  /** Namespaced kinds that it names from outside their namespaces. */
  readonly outside?: readonly string[];
}

/**
 * The kinds whose objects stop working if an object that they name is deleted.
 * A kind that then only fails to start is left out. Definitions are left out, because a list of
 * them is large.
 */
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

/**
 * Returns the kinds that qvs must list, in addition to workloads, to find the objects that name
 * these.
 */
export function kindsThatName(ids: readonly ObjectId[]): readonly Naming["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return namings
    .filter(({ within = [] }) => within.some((kind) => kinds.has(kind)))
    .map(({ kind }) => kind);
}

/** Returns the kinds that name these objects from outside their namespaces. */
export function kindsThatNameFromOutside(ids: readonly ObjectId[]): readonly Naming["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return namings
    .filter(({ outside = [] }) => outside.some((kind) => kinds.has(kind)))
    .map(({ kind }) => kind);
}

/** Reports whether objects that name it can't work without it, so that qvs blocks its deletion. */
export function isVital(id: Pick<ObjectId, "kind">): boolean {
  return isClassOfPods(id) || ["Role", "ClusterRole", "Gateway"].includes(id.kind);
}

/** Reports whether the API server rejects every Pod that names this class if it is missing. */
export function isClassOfPods({ kind }: Pick<ObjectId, "kind">): boolean {
  return kind === "PriorityClass" || kind === "RuntimeClass";
}

/** Reports whether an object or its Pods name another object. */
export function isNaming(object: KubeObject, id: ObjectId): boolean {
  const key = keyOf(id);
  return [...namedByItsPods(object), ...objectReferences(object)].some(
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
    ...podClasses(pods.spec).map((each) => ({ id: { ...each, namespace: "" } })),
  ];
}
