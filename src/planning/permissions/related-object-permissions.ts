import { blockingKinds } from "../../apply/deletion/read-remaining.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isBuiltInGroup, isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import { definesKind, isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import { productKinds } from "../../model/cluster/owned-objects.ts";
import { mayDeleteClaims } from "../../model/cluster/persistent-volume-claims.ts";
import { isPodReferenceKind, podSpecOf } from "../../model/cluster/pods.ts";
import { admissionGroup, admissionKinds } from "../../model/governors.ts";
import { listAt, textAt } from "../../model/json.ts";
import { workloadKinds } from "../../model/kinds.ts";
import { annotation, groupOf, keyOf } from "../../model/object.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import { kindsWithNulls } from "../../plan/declared/manifest-nulls.ts";
import { objectDependencies, podDependencies } from "../../preflight/dependencies.ts";
import {
  findOutsideReferencingKinds,
  findReferencingKinds,
  hasNameOfPodClass,
} from "../../preflight/referencing-kinds.ts";
import {
  canBeUnready,
  namedObjectPermissions,
  objectNamespaces,
  type PermissionInput,
  permit,
  resourcePlace,
} from "./granted-permissions.ts";
import type { Permission } from "./permission.ts";

const crdGroup = "apiextensions.k8s.io";

export function podMakerPermissions(
  { objects, findResource }: PermissionInput,
  kinds: typeof workloadKinds,
): readonly Permission[] {
  const used = objects.filter(
    ({ id, object }) =>
      isPodReferenceKind(id) ||
      (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined),
  );
  return objectNamespaces(used).flatMap((namespace) =>
    kinds.flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      return permit(namespace, group, findResource(group, kind).plural, ["list"]);
    }),
  );
}

/**
 * Returns the permissions to list objects that custom resources can own, and the possible users of
 * these objects.
 */
export function productPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  const makers = objectNamespaces(objects.filter(({ id }) => !isBuiltInGroup(id.group)));
  return makers.flatMap((namespace) =>
    [...productKinds, ...workloadKinds].flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      return permit(namespace, group, findResource(group, kind).plural, ["list"]);
    }),
  );
}

/**
 * Returns the permissions to list the objects that the garbage collector deletes before a deleted
 * object.
 */
export function blockerPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  return objects.flatMap(({ id }) =>
    blockingKinds(id).flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      const { plural } = findResource(group, kind);
      return id.namespace === "" ? [] : permit(id.namespace, group, plural, ["list"]);
    }),
  );
}

/** Returns the permissions to read the objects that annotations wait for. */
export function outsidePermissions({
  outside,
  findResource,
}: PermissionInput): readonly Permission[] {
  return outside.flatMap((id) => namedObjectPermissions(id, findResource, ["get"]));
}

/** Returns the permissions to wait until these objects are ready. */
export function outsideStatusPermissions({
  outside,
  findResource,
}: PermissionInput): readonly Permission[] {
  return outside
    .filter((id) => canBeUnready(id) && !isCrd(id))
    .flatMap((id) => {
      const { namespace, group, plural } = resourcePlace(id, findResource);
      return permit(namespace, group, plural, ["list", "watch"]);
    });
}

/**
 * Returns the permissions to list objects that name an object of the deployment.
 * An object in any namespace can name a cluster-scoped object.
 */
export function referrerPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  const byNamespace = Map.groupBy(
    objects.map(({ id }) => id),
    ({ namespace }) => namespace,
  );
  return [...byNamespace].flatMap(([namespace, ids]) => {
    const makers = ids.some(hasNameOfPodClass) ? workloadKinds : [];
    return [...findReferencingKinds(ids), ...makers].flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      const within = namespace === "" ? undefined : namespace;
      return permit(within, group, findResource(group, kind).plural, ["list"]);
    });
  });
}

export function outsideReferrerPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  return findOutsideReferencingKinds(objects.map(({ id }) => id)).flatMap(([apiVersion, kind]) => {
    const group = groupOf(apiVersion);
    return permit(undefined, group, findResource(group, kind).plural, ["list"]);
  });
}

export function ownedClaimPermissions({ objects }: PermissionInput): readonly Permission[] {
  const makers = objects.filter(({ id, object }) =>
    object === undefined
      ? isCustomGroup(id.group) || id.kind === "StatefulSet"
      : mayDeleteClaims(object),
  );
  return [
    ...objectNamespaces(makers).flatMap((namespace) =>
      permit(namespace, "", "persistentvolumeclaims", ["list"]),
    ),
    ...objectNamespaces(makers.filter(({ id }) => isCustomGroup(id.group))).flatMap((namespace) =>
      permit(namespace, "apps", "statefulsets", ["list"]),
    ),
  ];
}

/**
 * Returns the permissions to list all objects of the kinds that the deployment defines.
 * qvs doesn't request permissions to everything in a Namespace.
 */
export function definedKindPermissions({ objects }: PermissionInput): readonly Permission[] {
  return objects.flatMap(({ id, object }) => {
    if (!isCrd(id)) return [];
    // The name contains both parts. For a recorded definition, only the name is known.
    const [plural = "", ...group] = (textAt(object, "metadata", "name") ?? id.name).split(".");
    return permit(undefined, group.join("."), plural, ["list"]);
  });
}

/**
 * Returns the permissions to read the definitions of kinds with null in a manifest.
 * Leaves out kinds that the deployment defines itself.
 */
export function nullSchemaPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  const manifests = objects.flatMap(({ object }) => (object === undefined ? [] : [{ object }]));
  return kindsWithNulls(manifests).flatMap(({ apiVersion, kind }) => {
    const group = groupOf(apiVersion);
    const { plural } = findResource(group, kind);
    const name = `${plural}.${group}`;
    return permit(undefined, crdGroup, "customresourcedefinitions", ["get"], [name]);
  });
}

/** Returns the permissions to read the definitions of awaited kinds without a built-in rule. */
export function healthSchemaPermissions({
  objects,
  findResource,
  health,
}: PermissionInput): readonly Permission[] {
  return objects
    .filter(
      ({ id, object }) =>
        object !== undefined &&
        !isBuiltInGroup(id.group) &&
        (!health.hasRule(id) || health.userRule(id) !== undefined) &&
        readWaitPolicy(object).isAwaited,
    )
    .flatMap(({ id }) => {
      const { group, plural } = resourcePlace(id, findResource);
      const name = `${plural}.${group}`;
      return permit(undefined, crdGroup, "customresourcedefinitions", ["get"], [name]);
    });
}

/** Returns the permissions to read the definition and the APIService of each custom kind. */
export function servedKindPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  return objects
    .filter(({ id }) => isCustomGroup(id.group))
    .flatMap(({ id, object }) => {
      const { group, plural } = resourcePlace(id, findResource);
      const version = object && `${object.apiVersion.split("/").at(-1)}.${group}`;
      return [
        ...permit(
          undefined,
          crdGroup,
          "customresourcedefinitions",
          ["get"],
          [`${plural}.${group}`],
        ),
        ...permit(undefined, "apiregistration.k8s.io", "apiservices", ["get"], [version]),
      ];
    });
}

export function dependencyPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  const declared = new Set(objects.map((own) => keyOf(own.id)));
  const ofObjects = objects
    .flatMap(({ object }) => (object === undefined ? [] : objectDependencies(object)))
    .filter(({ id }) => !declared.has(keyOf(id)))
    .flatMap(({ id }) => [
      ...namedObjectPermissions(id, findResource, ["get"]),
      // The StorageClass might not exist, and its name might only select volumes.
      ...(id.kind === "StorageClass" ? permit(undefined, "", "persistentvolumes", ["list"]) : []),
    ]);
  const ofPods = objects.flatMap(({ id, object }) => {
    const spec = object && podSpecOf(object)?.spec;
    if (spec === undefined) return [];
    return podDependencies(spec).flatMap(({ kind, name }) => {
      const needed = { group: "", kind, namespace: id.namespace, name };
      return declared.has(keyOf(needed))
        ? []
        : namedObjectPermissions(needed, findResource, ["get"]);
    });
  });
  return [...ofPods, ...ofObjects];
}

/**
 * Returns the permissions to list webhooks and policies, if the deployment defines the kind of its
 * own objects.
 * qvs can't dry-run objects of such a kind.
 */
export function admissionPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  const crds = objects.flatMap(({ id, object }) =>
    object !== undefined && isCrd(id) ? [object] : [],
  );
  const isDefined = objects.some(({ id }) => crds.some((each) => definesKind(each, id)));
  if (!isDefined) return [];
  return admissionKinds.flatMap((kind) =>
    permit(undefined, admissionGroup, findResource(admissionGroup, kind).plural, ["list"]),
  );
}

/** Returns the permissions to read the owners that manifests name. */
export function ownerPermissions({
  objects,
  findResource,
}: PermissionInput): readonly Permission[] {
  return objects.flatMap(({ id, object }) =>
    listAt(object?.metadata, "ownerReferences").flatMap((owner) => {
      const group = groupOf(textAt(owner, "apiVersion") ?? "");
      const [kind = "", name = ""] = ["kind", "name"].map((of) => textAt(owner, of));
      return namedObjectPermissions({ group, kind, namespace: id.namespace, name }, findResource, [
        "get",
      ]);
    }),
  );
}
