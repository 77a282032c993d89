import { podMakerKinds } from "../../apply/deletion/pod-makers.ts";
import { blockingKinds } from "../../apply/deletion/read-blockers.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import { isCustom, mayTakeClaims } from "../../model/cluster/claims.ts";
import { definesKind, isDefinition } from "../../model/cluster/holder.ts";
import { isNamedByPods, podSpecOf } from "../../model/cluster/pods.ts";
import { productKinds } from "../../model/cluster/products.ts";
import { listAt, textAt } from "../../model/json.ts";
import { annotation, groupOf } from "../../model/object.ts";
import { kindsWithNulls } from "../../plan/declared/nulls.ts";
import { admissionKinds } from "../../preflight/coming-kinds.ts";
import {
  isClassOfPods,
  kindsThatName,
  kindsThatNameFromOutside,
} from "../../preflight/names-of.ts";
import { objectNeeds } from "../../preflight/object-needs.ts";
import { podNeeds } from "../../preflight/pod-needs.ts";
import { mayBeAwaited } from "./awaited.ts";
import type { Right } from "./right.ts";
import { namespacesOf, on, placeOf, type RightsSubject, toObject } from "./rights-to.ts";

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

/** Returns the rights to list what custom resources may own and others may use, and these others. */
export function toProducts({ objects, resourceOf }: RightsSubject): readonly Right[] {
  const makers = namespacesOf(objects.filter(({ id }) => !isBuiltInGroup(id.group)));
  return makers.flatMap((namespace) =>
    [...productKinds, ...podMakerKinds].flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      return on(namespace, group, resourceOf(group, kind).plural, ["list"]);
    }),
  );
}

/** Returns the rights to list what the garbage collector deletes before objects that a deployment deletes. */
export function toBlockers({ objects, resourceOf }: RightsSubject): readonly Right[] {
  return objects.flatMap(({ id }) =>
    blockingKinds(id).flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      const { plural } = resourceOf(group, kind);
      return id.namespace === "" ? [] : on(id.namespace, group, plural, ["list"]);
    }),
  );
}

/** What annotations wait for. */
export function toOutside({ outside, resourceOf }: RightsSubject): readonly Right[] {
  return outside.flatMap((id) => toObject(id, resourceOf, ["get"]));
}

/** To wait until it is ready. */
export function toOutsideStatus({ outside, resourceOf }: RightsSubject): readonly Right[] {
  return outside
    .filter((id) => mayBeAwaited(id) && !isDefinition(id))
    .flatMap((id) => {
      const { namespace, group, plural } = placeOf(id, resourceOf);
      return on(namespace, group, plural, ["list", "watch"]);
    });
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

/** The definitions of kinds that have null in a manifest, unless the deployment defines them itself. */
export function toDefinitionsOfNulls({ objects, resourceOf }: RightsSubject): readonly Right[] {
  const manifests = objects.flatMap(({ object }) => (object === undefined ? [] : [{ object }]));
  return kindsWithNulls(manifests).flatMap(({ apiVersion, kind }) => {
    const group = groupOf(apiVersion);
    const { plural } = resourceOf(group, kind);
    const name = `${plural}.${group}`;
    return on(undefined, "apiextensions.k8s.io", "customresourcedefinitions", ["get"], [name]);
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

export function toNeeds({ objects, resourceOf }: RightsSubject): readonly Right[] {
  const declared = new Set(
    objects.map((own) => `${own.id.namespace} ${own.id.kind} ${own.id.name}`),
  );
  const ofObjects = objects
    .flatMap(({ object }) => (object === undefined ? [] : objectNeeds(object)))
    .filter(({ id }) => !declared.has(`${id.namespace} ${id.kind} ${id.name}`))
    .flatMap(({ id }) => [
      ...toObject(id, resourceOf, ["get"]),
      // A class that is not there may be only the name by which volumes are found.
      ...(id.kind === "StorageClass" ? on(undefined, "", "persistentvolumes", ["list"]) : []),
    ]);
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

/** Nobody can ask it by a dry-run about what is of a kind that the deployment itself defines. */
export function toAdmission({ objects, resourceOf }: RightsSubject): readonly Right[] {
  const definitions = objects.flatMap(({ id, object }) =>
    object !== undefined && isDefinition(id) ? [object] : [],
  );
  const isDefined = objects.some(({ id }) => definitions.some((each) => definesKind(each, id)));
  if (!isDefined) return [];
  const group = "admissionregistration.k8s.io";
  return admissionKinds.flatMap((kind) =>
    on(undefined, group, resourceOf(group, kind).plural, ["list"]),
  );
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
