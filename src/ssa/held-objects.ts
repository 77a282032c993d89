import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { ContainedObject, DeletedContents } from "../model/cluster/namespaces-and-crds.ts";
import { listAt, textAt } from "../model/json.ts";
import { annotation, idOf, type KubeObject, keyOf, label, uidOf } from "../model/object.ts";
import { ownersOf } from "./managed-fields.ts";

/** The objects of this deployment, which its own plan keeps or deletes. */
export interface OwnObjects {
  readonly keys: ReadonlySet<string>;
  readonly uids: ReadonlySet<string>;
}

/**
 * Lists the outside objects that would be deleted with a Namespace or a kind.
 * An object whose owner is in the list, or belongs to this deployment, isn't listed itself.
 */
export function heldObjects(
  all: readonly KubeObject[],
  ours: OwnObjects,
): DeletedContents["objects"] {
  // Several API groups can list one object. An object without a uid is computed and not stored.
  const stored = [...new Map(all.map((object) => [uidOf(object), object])).values()].filter(
    (object) => uidOf(object) !== "",
  );
  const known = new Set([...stored.map(uidOf), ...ours.uids]);
  const services = new Set(stored.filter(isService).map((object) => idOf(object).name));
  return stored
    .filter((object) => !ours.keys.has(keyOf(idOf(object))))
    .filter((object) => !isMadeByCluster(object, services) && !isOwned(object, known))
    .map(heldObject)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function heldObject(object: KubeObject): ContainedObject {
  const id = idOf(object);
  return { key: keyOf(id), id, manager: managerOf(object) };
}

/** Reports whether the object has an owner that is listed or belongs to this deployment. */
function isOwned(object: KubeObject, known: ReadonlySet<string>): boolean {
  return listAt(object, "metadata", "ownerReferences").some((owner) =>
    known.has(textAt(owner, "uid") ?? ""),
  );
}

/**
 * Reports whether Kubernetes creates the object itself or is already deleting it.
 * Examples are events, Endpoints and the default ServiceAccount.
 */
function isMadeByCluster(object: KubeObject, services: ReadonlySet<string>): boolean {
  const { kind, group, name } = idOf(object);
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) return true;
  if (kind === "Event") return group === "" || group === "events.k8s.io";
  if (group !== "") return false;
  if (kind === "Endpoints") return services.has(name) || isOfControllers(object);
  return (
    (kind === "ConfigMap" && name === "kube-root-ca.crt") ||
    (kind === "ServiceAccount" && name === "default")
  );
}

function isService(object: KubeObject): boolean {
  const { kind, group } = idOf(object);
  return kind === "Service" && group === "";
}

/**
 * Reports whether only controllers wrote the object.
 * Endpoints outlive their Service for a moment.
 */
function isOfControllers(object: KubeObject): boolean {
  const owners = ownersOf(object);
  return owners.length > 0 && owners.every(({ manager }) => manager === controllers);
}

/** The manager name of controllers, which write a few fields of many objects. */
const controllers = "kube-controller-manager";

/**
 * Returns the manager of an object.
 * The labels and annotations of common tools decide first, then the managers of its fields.
 */
function managerOf(object: KubeObject): string {
  const managedBy = nameIn(label(object, managedByLabel));
  const deployment = nameIn(label(object, deploymentLabel));
  if (managedBy === managedByValue && deployment !== undefined) return `deployment ${deployment}`;
  for (const [tool, name] of marksOf(object)) if (name !== undefined) return `${tool} ${name}`;
  if (managedBy !== undefined) return managedBy;
  const writers = ownersOf(object).filter(({ subresource }) => subresource === "");
  const person = writers.find(({ manager }) => manager !== controllers) ?? writers[0];
  return person === undefined || person.manager === "" ? "" : `"${person.manager}"`;
}

function marksOf(object: KubeObject): readonly (readonly [string, string | undefined])[] {
  const tracking = annotation(object, "argocd.argoproj.io/tracking-id")?.split(":")[0];
  const isHelms = label(object, "owner") === "helm";
  return [
    ["Argo CD application", nameIn(tracking)],
    ["Flux HelmRelease", nameIn(label(object, "helm.toolkit.fluxcd.io/name"))],
    ["Flux Kustomization", nameIn(label(object, "kustomize.toolkit.fluxcd.io/name"))],
    ["Helm release", nameIn(annotation(object, "meta.helm.sh/release-name"))],
    ["Helm release", isHelms ? nameIn(label(object, "name")) : undefined],
  ];
}

/** Returns the text if it looks like a name. Annotations can contain any text of any length. */
function nameIn(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.-]{1,100}$/.test(text) ? text : undefined;
}
