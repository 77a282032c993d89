import { podMakerKinds } from "../../apply/deletion/pod-makers.ts";
import { statusOf } from "../../apply/readiness/status/status-of.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import {
  ephemeralClaimOf,
  isCustom,
  mayTakeClaims,
  usesClaims,
} from "../../model/cluster/claims.ts";
import { isDefinition } from "../../model/cluster/holder.ts";
import { isNamedByPods, podSpecOf } from "../../model/cluster/pods.ts";
import type { Deployment } from "../../model/deployment.ts";
import { listAt, textAt } from "../../model/json.ts";
import { annotation, groupOf, type KubeObject, type ObjectId } from "../../model/object.ts";
import {
  isClassOfPods,
  kindsThatName,
  kindsThatNameFromOutside,
} from "../../preflight/names-of.ts";
import { objectNeeds } from "../../preflight/object-needs.ts";
import { podNeeds } from "../../preflight/pod-needs.ts";
import { unrolledKinds } from "../../preflight/rollouts/pod-makers.ts";
import type { ResourceOf } from "./api-resources.ts";
import type { Right } from "./right.ts";

/** An object of the deployment: declared now, or recorded by an earlier release. */
export interface OwnObject {
  readonly id: ObjectId;
  /** undefined for one that only a release knows. */
  readonly object: KubeObject | undefined;
}

/** What the rights of a deployment depend on. */
export interface RightsSubject {
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly objects: readonly OwnObject[];
  /** Objects of others that annotations wait for. */
  readonly outside: readonly ObjectId[];
  readonly resourceOf: ResourceOf;
  /** Rights to all objects of a kind, whatever they are called. */
  readonly byKind: boolean;
}

/** Rights in a namespace, or in all of them; to all objects where no names are given. */
export function on(
  namespace: string | undefined,
  group: string,
  resource: string,
  verbs: readonly string[],
  names: readonly (string | undefined)[] = [undefined],
): readonly Right[] {
  return names.flatMap((name) => verbs.map((verb) => ({ namespace, group, resource, verb, name })));
}

function named(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

interface Place {
  readonly namespace: string | undefined;
  readonly group: string;
  readonly plural: string;
}

export function placeOf({ group, kind, namespace }: ObjectId, resourceOf: ResourceOf): Place {
  const { plural, namespaced } = resourceOf(group, kind);
  return { namespace: namespaced ? namespace : undefined, group, plural };
}

export function toObject(
  id: ObjectId,
  resourceOf: ResourceOf,
  verbs: readonly string[],
): readonly Right[] {
  const { namespace, group, plural } = placeOf(id, resourceOf);
  return on(namespace, group, plural, verbs, [id.name]);
}

export function toKinds({ objects, resourceOf }: RightsSubject, verbs: readonly string[]) {
  return objects.flatMap(({ id }) => {
    const { namespace, group, plural } = placeOf(id, resourceOf);
    return on(namespace, group, plural, verbs);
  });
}

/** What is listed and watched. */
export function listed(subject: RightsSubject): RightsSubject {
  return { ...subject, objects: subject.objects.filter(({ id }) => !isDefinition(id)) };
}

/** What is read by its name instead. */
export function definitionsIn(subject: RightsSubject): RightsSubject {
  return { ...subject, objects: subject.objects.filter(({ id }) => isDefinition(id)) };
}

export function toObjects(subject: RightsSubject, verbs: readonly string[]): readonly Right[] {
  const { objects, resourceOf, byKind } = subject;
  return objects.flatMap((own) => {
    const { namespace, group, plural } = placeOf(own.id, resourceOf);
    const name = byKind || changesName(own) ? undefined : own.id.name;
    return on(namespace, group, plural, verbs, [name]);
  });
}

/** Whether it takes a while until it is ready, once it is written. */
export function isAwaited({ object }: Pick<OwnObject, "object">): boolean {
  const facts = { now: new Date(0), before: undefined, binding: "unknown" } as const;
  return object !== undefined && statusOf(object, facts).state === "waiting";
}

/** Whether an object of this kind can be there and not be ready. */
export function mayBeAwaited({ group, kind }: ObjectId): boolean {
  return !withoutStatus.has(`${group}/${kind}`);
}

/** Held against the discovery of a real control plane by test/rbac/kinds.system.test.ts. */
const withoutStatus: ReadonlySet<string> = new Set([
  "/ConfigMap",
  "/Secret",
  "/ServiceAccount",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/NetworkPolicy",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "rbac.authorization.k8s.io/Role",
  "rbac.authorization.k8s.io/RoleBinding",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/StorageClass",
]);

/** Its next revision has another name, which nobody knows yet. */
function changesName({ id, object }: OwnObject): boolean {
  if (isDefinition(id)) return false;
  if (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined) return true;
  return (isCore(id, "ConfigMap") || isCore(id, "Secret")) && nameOfContent.test(id.name);
}

/** A hash, as adapters and Kustomize append it, or a number. */
const nameOfContent = /-([0-9a-f]{8,}|(?=([a-z]*\d){2})[a-z0-9]{8,}|v\d+)$/;

/** Which class is the default one, only the cluster knows. */
export function classesOf(objects: readonly OwnObject[]): readonly (string | undefined)[] {
  const claims = objects.filter(({ id }) => isCore(id, "PersistentVolumeClaim"));
  const classes = claims.map(({ object }) => textAt(object, "spec", "storageClassName"));
  return classes.includes(undefined) ? [undefined] : named(classes.flatMap((name) => name ?? []));
}

export function toUsers(
  { objects, resourceOf }: RightsSubject,
  kinds: typeof podMakerKinds,
): readonly Right[] {
  const used = objects.filter(
    ({ id, object }) =>
      isNamedByPods(id) ||
      (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined),
  );
  return namespacesOf(used).flatMap((namespace) =>
    kinds.flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      return on(namespace, group, resourceOf(group, kind).plural, ["list"]);
    }),
  );
}

/** What names an object of the whole cluster may be in any namespace. */
export function toNamers({ objects, resourceOf }: RightsSubject): readonly Right[] {
  const byNamespace = Map.groupBy(
    objects.map(({ id }) => id),
    ({ namespace }) => namespace,
  );
  return [...byNamespace].flatMap(([namespace, ids]) => {
    const makers = ids.some(isClassOfPods) ? podMakerKinds : [];
    return [...kindsThatName(ids), ...makers].flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      const within = namespace === "" ? undefined : namespace;
      return on(within, group, resourceOf(group, kind).plural, ["list"]);
    });
  });
}

export function toNamersFromOutside({ objects, resourceOf }: RightsSubject): readonly Right[] {
  return kindsThatNameFromOutside(objects.map(({ id }) => id)).flatMap(([apiVersion, kind]) => {
    const group = groupOf(apiVersion);
    return on(undefined, group, resourceOf(group, kind).plural, ["list"]);
  });
}

export function toOwnedClaims({ objects }: RightsSubject): readonly Right[] {
  const makers = objects.filter(({ id, object }) =>
    object === undefined ? isCustom(id.group) || id.kind === "StatefulSet" : mayTakeClaims(object),
  );
  return [
    ...namespacesOf(makers).flatMap((namespace) =>
      on(namespace, "", "persistentvolumeclaims", ["list"]),
    ),
    ...namespacesOf(makers.filter(({ id }) => isCustom(id.group))).flatMap((namespace) =>
      on(namespace, "apps", "statefulsets", ["list"]),
    ),
  ];
}

/** All objects of the kinds that the deployment defines. Of a Namespace nobody is given everything that is in it. */
export function toDefined({ objects }: RightsSubject): readonly Right[] {
  return objects.flatMap(({ id, object }) => {
    if (!isDefinition(id)) return [];
    // Its name says both, which is all that is known of one that only a release knows.
    const [plural = "", ...group] = (textAt(object, "metadata", "name") ?? id.name).split(".");
    return on(undefined, group.join("."), plural, ["list"]);
  });
}

/** The definition and the APIService of each custom kind. */
export function toServers({ objects, resourceOf }: RightsSubject): readonly Right[] {
  return objects
    .filter(({ id }) => isCustom(id.group))
    .flatMap(({ id, object }) => {
      const { group, plural } = placeOf(id, resourceOf);
      const version = object && `${object.apiVersion.split("/").at(-1)}.${group}`;
      return [
        ...on(
          undefined,
          "apiextensions.k8s.io",
          "customresourcedefinitions",
          ["get"],
          [`${plural}.${group}`],
        ),
        ...on(undefined, "apiregistration.k8s.io", "apiservices", ["get"], [version]),
      ];
    });
}

export function makesPods({ object }: OwnObject): boolean {
  return object !== undefined && podSpecOf(object) !== undefined;
}

/** Claims by templates: a StatefulSet's, or those that each Pod has for itself. */
export function makesClaims({ object }: OwnObject): boolean {
  if (object === undefined) return false;
  const volumes = listAt(podSpecOf(object)?.spec, "volumes");
  return (
    listAt(object, "spec", "volumeClaimTemplates").length > 0 ||
    volumes.some((volume) => ephemeralClaimOf(volume) !== undefined)
  );
}

export function toEvidence({ objects }: RightsSubject): readonly Right[] {
  // Events about cluster-scoped objects are kept in the namespace default.
  const places = objects.map(({ id }) => id.namespace || "default");
  return [
    ...named(places).flatMap((namespace) => on(namespace, "", "events", ["list"])),
    ...namespacesOf(objects.filter(makesPods)).flatMap((namespace) => [
      ...on(namespace, "", "pods", ["list", "watch"]),
      ...on(namespace, "", "pods/log", ["get"]),
      ...on(namespace, "apps", "replicasets", ["list"]),
    ]),
  ];
}

export function toNeeds({ objects, resourceOf }: RightsSubject): readonly Right[] {
  const declared = new Set(
    objects.map((own) => `${own.id.namespace} ${own.id.kind} ${own.id.name}`),
  );
  const ofObjects = objects
    .flatMap(({ object }) => (object === undefined ? [] : objectNeeds(object)))
    .filter(({ id }) => !declared.has(`${id.namespace} ${id.kind} ${id.name}`))
    .flatMap(({ id }) => toObject(id, resourceOf, ["get"]));
  const ofPods = objects.flatMap(({ id, object }) => {
    const spec = object && podSpecOf(object)?.spec;
    if (spec === undefined) return [];
    return podNeeds(spec).flatMap(({ kind, name }) =>
      declared.has(`${id.namespace} ${kind} ${name}`)
        ? []
        : toObject({ group: "", kind, namespace: id.namespace, name }, resourceOf, ["get"]),
    );
  });
  return [...ofPods, ...ofObjects];
}

/** What manifests name as owners. */
export function toOwners({ objects, resourceOf }: RightsSubject): readonly Right[] {
  return objects.flatMap(({ id, object }) =>
    listAt(object?.metadata, "ownerReferences").flatMap((owner) => {
      const group = groupOf(textAt(owner, "apiVersion") ?? "");
      const [kind = "", name = ""] = ["kind", "name"].map((of) => textAt(owner, of));
      return toObject({ group, kind, namespace: id.namespace, name }, resourceOf, ["get"]);
    }),
  );
}

export function toScheduling({ objects }: RightsSubject): readonly Right[] {
  const workloads = objects.filter(({ id }) => rollsOut.has(`${id.group}/${id.kind}`));
  const placed = objects.filter(
    ({ id }) =>
      rollsOut.has(`${id.group}/${id.kind}`) || unrolledKinds.has(`${id.group}/${id.kind}`),
  );
  if (placed.length === 0) return [];
  const withClaims = placed.filter(({ object }) => object !== undefined && hasClaims(object));
  return [
    ...["nodes", "pods", "namespaces"].flatMap((plural) => on(undefined, "", plural, ["list"])),
    ...on(undefined, "scheduling.k8s.io", "priorityclasses", ["list"]),
    ...namespacesOf(workloads).flatMap((namespace) =>
      on(namespace, "apps", "replicasets", ["list"]),
    ),
    ...on("kube-system", "", "configmaps", ["get"], ["cluster-autoscaler-status"]),
    ...namespacesOf(withClaims).flatMap((namespace) =>
      on(namespace, "", "persistentvolumeclaims", ["list"]),
    ),
    ...(withClaims.length === 0
      ? []
      : [
          ...on(undefined, "", "persistentvolumes", ["list"]),
          ...on(undefined, "storage.k8s.io", "storageclasses", ["list"]),
          ...on(undefined, "storage.k8s.io", "csinodes", ["list"]),
        ]),
  ];
}

function hasClaims(object: KubeObject): boolean {
  return (
    usesClaims(object.spec) || usesClaims({ template: { spec: podSpecOf(object)?.spec ?? {} } })
  );
}

const rollsOut: ReadonlySet<string> = new Set([
  "apps/Deployment",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "argoproj.io/Rollout",
]);

function isCore({ group, kind }: ObjectId, name: string): boolean {
  return group === "" && kind === name;
}

export function namespacesOf(objects: readonly OwnObject[]): readonly string[] {
  return named(objects.flatMap(({ id }) => id.namespace || []));
}
