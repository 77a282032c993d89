import { objectReferences } from "../model/cluster/object-references.ts";
import { embeddedPodSpecs, podClasses, podReferences, podSpecOf } from "../model/cluster/pods.ts";
import { podClassKinds } from "../model/governors.ts";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../model/object.ts";

/** A kind whose objects qvs reads for the names in them, in addition to those that Pods name. */
interface ReferencingKind {
  readonly kind: readonly [apiVersion: string, kind: string];
  /** Kinds of the same namespace, or cluster-scoped kinds, that it names. */
  readonly sameNamespaceTargets?: readonly string[];
  /** Namespaced kinds that it names from outside their namespaces. */
  readonly otherNamespaceTargets?: readonly string[];
}

/**
 * The kinds whose objects stop working if an object that they name is deleted.
 * A kind that then only fails to start is left out. Definitions are left out, because a list of
 * them is large.
 */
const referencingKinds: readonly ReferencingKind[] = [
  {
    kind: ["networking.k8s.io/v1", "Ingress"],
    sameNamespaceTargets: ["Service", "Secret", "IngressClass"],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    sameNamespaceTargets: ["Role", "ClusterRole", "ServiceAccount"],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    sameNamespaceTargets: ["ClusterRole"],
    otherNamespaceTargets: ["ServiceAccount"],
  },
  ...["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"].map(
    (policy): ReferencingKind => ({
      kind: ["admissionregistration.k8s.io/v1", `${policy}Binding`],
      sameNamespaceTargets: [policy],
    }),
  ),
  ...["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"].map(
    (kind): ReferencingKind => ({
      kind: ["admissionregistration.k8s.io/v1", kind],
      otherNamespaceTargets: ["Service"],
    }),
  ),
  { kind: ["apiregistration.k8s.io/v1", "APIService"], otherNamespaceTargets: ["Service"] },
  { kind: ["v1", "PersistentVolumeClaim"], sameNamespaceTargets: ["StorageClass"] },
  { kind: ["apps/v1", "StatefulSet"], sameNamespaceTargets: ["StorageClass"] },
  {
    kind: ["autoscaling/v2", "HorizontalPodAutoscaler"],
    sameNamespaceTargets: ["Deployment", "StatefulSet", "ReplicaSet", "Rollout"],
  },
  // Most routes are of this kind.
  {
    kind: ["gateway.networking.k8s.io/v1", "HTTPRoute"],
    sameNamespaceTargets: ["Service", "Gateway"],
  },
  { kind: ["gateway.networking.k8s.io/v1", "Gateway"], sameNamespaceTargets: ["GatewayClass"] },
  { kind: ["v1", "ServiceAccount"], sameNamespaceTargets: ["Secret"] },
];

/**
 * Returns the kinds that qvs must list, in addition to workloads, to find the objects that name
 * these.
 */
export function findReferencingKinds(ids: readonly ObjectId[]): readonly ReferencingKind["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return referencingKinds
    .filter(({ sameNamespaceTargets = [] }) => sameNamespaceTargets.some((kind) => kinds.has(kind)))
    .map(({ kind }) => kind);
}

/** Returns the kinds that name these objects from outside their namespaces. */
export function findOutsideReferencingKinds(
  ids: readonly ObjectId[],
): readonly ReferencingKind["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return referencingKinds
    .filter(({ otherNamespaceTargets = [] }) =>
      otherNamespaceTargets.some((kind) => kinds.has(kind)),
    )
    .map(({ kind }) => kind);
}

/** Reports whether objects that name it can't work without it, so that qvs blocks its deletion. */
export function isEssential(id: Pick<ObjectId, "kind">): boolean {
  return hasNameOfPodClass(id) || ["Role", "ClusterRole", "Gateway"].includes(id.kind);
}

/**
 * Reports whether the API server rejects every Pod that names this class if it is missing.
 * The group of the kind doesn't matter.
 */
export function hasNameOfPodClass({ kind }: Pick<ObjectId, "kind">): boolean {
  return podClassKinds.some((each) => each.kind === kind);
}

/** Reports whether an object or its Pods name another object. */
export function isReferencing(object: KubeObject, id: ObjectId): boolean {
  const key = keyOf(id);
  return [...podTemplateReferences(object), ...objectReferences(object)].some(
    (named) => keyOf(named.id) === key,
  );
}

function podTemplateReferences(object: KubeObject): readonly { readonly id: ObjectId }[] {
  const pods = podSpecOf(object);
  const { namespace } = idOf(object);
  const specs = pods === undefined ? embeddedPodSpecs({ ...object }) : [pods.spec];
  return specs.flatMap((spec) => [
    ...podReferences(spec).map(({ kind, name }) => ({ id: { group: "", kind, namespace, name } })),
    ...podClasses(spec).map((each) => ({ id: { ...each, namespace: "" } })),
  ]);
}
