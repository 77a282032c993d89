import { podReferences, podSpecOf } from "../model/cluster/pods.ts";
import { at, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { groupOf, idOf, type KubeObject, type ObjectId } from "../model/object.ts";

type Named = Pick<ObjectId, "kind" | "name">;

/** A kind besides those that make Pods, whose objects name others of their namespace. */
interface Naming {
  readonly kind: readonly [apiVersion: string, kind: string];
  readonly names: readonly string[];
  readonly of: (object: JsonObject) => readonly Named[];
}

/** What stops working, not only what refuses to start, where an object goes that it names. */
const namings: readonly Naming[] = [
  {
    kind: ["networking.k8s.io/v1", "Ingress"],
    names: ["Service", "Secret"],
    of: (ingress) => [
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
    names: ["Role", "ServiceAccount"],
    of: (binding) => [
      ...byKind(["Role"], at(binding, "roleRef")),
      ...listAt(binding, "subjects").flatMap((subject) => byKind(["ServiceAccount"], subject)),
    ],
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

/** The objects of its namespace that an object names, by kind and name. */
export function namesOf(object: KubeObject): readonly Named[] {
  const pods = podSpecOf(object);
  if (pods !== undefined) return podReferences(pods.spec);
  const { kind, group } = idOf(object);
  const naming = namings.find((each) => each.kind[1] === kind && groupOf(each.kind[0]) === group);
  return naming?.of(object) ?? [];
}

function named(kind: string, name: string | undefined): readonly Named[] {
  return name === undefined ? [] : [{ kind, name }];
}

function byKind(kinds: readonly string[], reference: Json | undefined): readonly Named[] {
  const kind = textAt(reference, "kind") ?? "";
  return kinds.includes(kind) ? named(kind, textAt(reference, "name")) : [];
}
