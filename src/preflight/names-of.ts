import { namedClasses } from "../model/cluster/pod-placement.ts";
import { podReferences, podSpecOf } from "../model/cluster/pods.ts";
import { servingServices } from "../model/cluster/serving-services.ts";
import { at, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { groupOf, idOf, type KubeObject, type ObjectId } from "../model/object.ts";

interface Named extends Pick<ObjectId, "kind" | "name"> {
  /** Where it says so; else it is in the namespace of what names it, or of the whole cluster. */
  readonly namespace?: string | undefined;
}

/** A kind whose objects name others besides what Pods name. */
interface Naming {
  readonly kind: readonly [apiVersion: string, kind: string];
  readonly names: readonly string[];
  /** Kinds with namespaces that it names from outside of these. */
  readonly outside?: readonly string[];
  readonly of: (object: KubeObject) => readonly Named[];
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
      ...boundAccounts(binding),
    ],
  },
  {
    kind: ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    names: ["ClusterRole"],
    outside: ["ServiceAccount"],
    of: (binding) => [
      ...byKind(["ClusterRole"], at(binding, "roleRef")),
      ...boundAccounts(binding),
    ],
  },
  ...["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"].map(
    (policy): Naming => ({
      kind: ["admissionregistration.k8s.io/v1", `${policy}Binding`],
      names: [policy],
      of: (binding) => named(policy, textAt(binding, "spec", "policyName")),
    }),
  ),
  ...[
    ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"] as const,
    ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"] as const,
    ["apiregistration.k8s.io/v1", "APIService"] as const,
  ].map((kind): Naming => ({ kind, names: [], outside: ["Service"], of: whatServesIt })),
  // Nobody lists definitions for this, which are large.
  { kind: ["apiextensions.k8s.io/v1", "CustomResourceDefinition"], names: [], of: whatServesIt },
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
  ...["HTTPRoute", "GRPCRoute"].map(
    (kind): Naming => ({
      kind: ["gateway.networking.k8s.io/v1", kind],
      // Those of others are listed where most are.
      names: kind === "HTTPRoute" ? ["Service", "Gateway"] : [],
      of: (route) => [
        ...listAt(route, "spec", "parentRefs").flatMap((ref) => inItsPlace("Gateway", ref)),
        ...listAt(route, "spec", "rules").flatMap((rule) =>
          listAt(rule, "backendRefs").flatMap((ref) => inItsPlace("Service", ref)),
        ),
      ],
    }),
  ),
  {
    kind: ["gateway.networking.k8s.io/v1", "Gateway"],
    names: ["GatewayClass"],
    of: (gateway) => named("GatewayClass", textAt(gateway, "spec", "gatewayClassName")),
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

/** Kinds that name objects like these from outside of their namespaces. */
export function kindsThatNameFromOutside(ids: readonly ObjectId[]): readonly Naming["kind"][] {
  const kinds = new Set(ids.map(({ kind }) => kind));
  return namings
    .filter(({ outside = [] }) => outside.some((kind) => kinds.has(kind)))
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

/** Whether an object names another one, in its own namespace or where it says. */
export function isNaming(object: KubeObject, id: ObjectId): boolean {
  const { namespace: own } = idOf(object);
  return namesOf(object).some(
    ({ kind, name, namespace = own }) =>
      kind === id.kind && name === id.name && (id.namespace === "" || id.namespace === namespace),
  );
}

function boundAccounts(binding: JsonObject): readonly Named[] {
  return listAt(binding, "subjects").flatMap((subject) =>
    byKind(["ServiceAccount"], subject).map((account) => ({
      ...account,
      namespace: textAt(subject, "namespace"),
    })),
  );
}

function whatServesIt(object: KubeObject): readonly Named[] {
  return servingServices(object).map(({ id }) => id);
}

/** A reference of Gateway API, which may be to a kind of others. */
function inItsPlace(kind: string, reference: Json): readonly Named[] {
  return (textAt(reference, "kind") ?? kind) === kind
    ? named(kind, textAt(reference, "name")).map((each) => ({
        ...each,
        namespace: textAt(reference, "namespace"),
      }))
    : [];
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
