import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  textAt,
  withoutField,
} from "../../model/json.ts";
import { groupOf, lastAppliedAnnotation, nameOf } from "../../model/object.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import type { DeclaredObject } from "./objects.ts";

/** A manifest without the fields that only the cluster writes, and the paths of those fields. */
export interface OwnManifest extends Manifest {
  /** The paths as messages show them, e.g. `metadata.uid`. */
  readonly leftOut: readonly string[];
}

/**
 * The fields that only the API server and the controllers write.
 * `kubectl get -o yaml` shows them in every object. If qvs sent them, the API server would reject
 * them (another UID) or report a conflict. A controller could also trust a value that it wrote for
 * another object.
 */
const clusterFields: readonly ClusterField[] = [
  { path: ["status"] },
  { path: ["metadata", "creationTimestamp"] },
  { path: ["metadata", "deletionGracePeriodSeconds"] },
  { path: ["metadata", "deletionTimestamp"] },
  { path: ["metadata", "generation"] },
  { path: ["metadata", "managedFields"] },
  { path: ["metadata", "resourceVersion"] },
  { path: ["metadata", "selfLink"] },
  { path: ["metadata", "uid"] },
  { path: annotationPath(lastAppliedAnnotation) },
  {
    path: annotationPath("deployment.kubernetes.io/revision"),
    in: (object) => isKind(object, "apps", "Deployment"),
  },
  {
    path: annotationPath("kubernetes.io/service-account.uid"),
    in: (object) => isKind(object, "", "Secret"),
  },
  {
    path: annotationPath("pv.kubernetes.io/bind-completed"),
    in: (object) => isKind(object, "", "PersistentVolumeClaim"),
  },
  {
    path: annotationPath("pv.kubernetes.io/bound-by-controller"),
    in: (object) => isKind(object, "", "PersistentVolumeClaim"),
  },
  {
    // The controller that aggregates roles forces its rules
    // (https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
    path: ["rules"],
    in: (object) =>
      isKind(object, "rbac.authorization.k8s.io", "ClusterRole") &&
      isObject(at(object, "aggregationRule")),
  },
];

interface ClusterField {
  readonly path: readonly string[];
  /**
   * Reports whether only the cluster writes the field of an object; missing if that is true for all
   * objects.
   */
  readonly in?: (object: JsonObject) => boolean;
}

/**
 * Removes the fields of the cluster before other code reads the manifest.
 * A reference to such a field then means the live value.
 */
export function withoutClusterFields(manifest: Manifest): OwnManifest {
  const { object } = manifest;
  const leftOut = presentClusterFields(object)
    .filter(({ path }) => hasContent(at(object, ...path)))
    .map(({ path }) => formatPath(path));
  return { ...manifest, object: removeClusterFields(object), leftOut };
}

/** Returns the object without the fields that only the cluster writes. */
export function removeClusterFields<T extends JsonObject>(object: T): T {
  return presentClusterFields(object).reduce((rest, { path }) => removePath(rest, path), object);
}

function presentClusterFields(object: JsonObject): readonly ClusterField[] {
  return clusterFields.filter(
    (field) => (field.in?.(object) ?? true) && at(object, ...field.path) !== undefined,
  );
}

/** Returns a notice for each object with such fields, because they have no effect. */
export function clusterFieldNotices(objects: readonly DeclaredObject[]): readonly Problem[] {
  return objects
    .filter(({ leftOut = [] }) => leftOut.length > 0)
    .map((object) => ({
      code: "cluster-field-omitted",
      subjects: [nameOf(object.id)],
      what: `${nameOf(object.id)}: fields that only the cluster writes aren't sent`,
      facts: [{ label: "fields", value: object.leftOut?.join(", ") ?? "" }],
      fix: "Remove the fields from the adapter",
      where: declarationPlaces(object),
    }));
}

/**
 * Reports whether a value has any content.
 * Generators write `status: {}` and `creationTimestamp: null` into every object.
 */
function hasContent(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (isList(value)) return value.some(hasContent);
  return isObject(value) ? Object.values(value).some(hasContent) : true;
}

function removePath<T extends JsonObject>(object: T, path: readonly string[]): T;
function removePath(object: JsonObject, [name = "", ...below]: readonly string[]): JsonObject {
  const value = fieldOf(object, name);
  const rest = withoutField(object, name);
  if (below.length === 0 || !isObject(value)) return rest;
  const left = removePath(value, below);
  // qvs would own an empty map of annotations and show it as a change.
  return name === "annotations" && Object.keys(left).length === 0
    ? rest
    : { ...object, [name]: left };
}

function annotationPath(name: string): readonly string[] {
  return ["metadata", "annotations", name];
}

function formatPath(path: readonly string[]): string {
  return path
    .map((name) => (/^\w+$/.test(name) ? `.${name}` : `["${name}"]`))
    .join("")
    .slice(1);
}

function isKind(object: JsonObject, group: string, kind: string): boolean {
  return textAt(object, "kind") === kind && groupOf(textAt(object, "apiVersion") ?? "") === group;
}
