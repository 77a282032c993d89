import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { ContainedObject, DeletedContents } from "../model/cluster/namespaces-and-crds.ts";
import { listAt, textAt } from "../model/json.ts";
import { isCoreKind } from "../model/kinds.ts";
import { annotation, idOf, type KubeObject, keyOf, label, uidOf } from "../model/object.ts";
import { fieldOwners } from "./managed-fields.ts";

/** The objects of this deployment, which its own plan keeps or deletes. */
export interface OwnObjectKeys {
  readonly keys: ReadonlySet<string>;
  readonly uids: ReadonlySet<string>;
}

/**
 * Lists the outside objects that would be deleted with a Namespace or a kind.
 * An object whose owner is in the list, or belongs to this deployment, isn't listed itself.
 */
export function containedObjects(
  all: readonly KubeObject[],
  ours: OwnObjectKeys,
): DeletedContents["objects"] {
  // Several API groups can list one object. An object without a uid is computed and not stored.
  const stored = [...new Map(all.map((object) => [uidOf(object), object])).values()].filter(
    (object) => uidOf(object) !== "",
  );
  const known = new Set([...stored.map(uidOf), ...ours.uids]);
  const services = new Set(stored.filter(isService).map((object) => idOf(object).name));
  return stored
    .filter((object) => !ours.keys.has(keyOf(idOf(object))))
    .filter((object) => !isCreatedByCluster(object, services) && !isOwned(object, known))
    .map(toContainedObject)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function toContainedObject(object: KubeObject): ContainedObject {
  const id = idOf(object);
  return { key: keyOf(id), id, manager: managerName(object) };
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
function isCreatedByCluster(object: KubeObject, services: ReadonlySet<string>): boolean {
  const { kind, group, name } = idOf(object);
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) return true;
  if (kind === "Event") return group === "" || group === "events.k8s.io";
  if (group !== "") return false;
  if (kind === "Endpoints") return services.has(name) || isWrittenByControllers(object);
  return (
    (kind === "ConfigMap" && name === "kube-root-ca.crt") ||
    (kind === "ServiceAccount" && name === "default")
  );
}

function isService(object: KubeObject): boolean {
  return isCoreKind(idOf(object), "Service");
}

/**
 * Reports whether only controllers wrote the object.
 * Endpoints outlive their Service for a moment.
 */
function isWrittenByControllers(object: KubeObject): boolean {
  const owners = fieldOwners(object);
  return owners.length > 0 && owners.every(({ manager }) => manager === controllerManager);
}

/** The manager name of controllers, which write a few fields of many objects. */
const controllerManager = "kube-controller-manager";

/**
 * Returns the manager of an object.
 * The labels and annotations of common tools decide first, then the managers of its fields.
 */
function managerName(object: KubeObject): string {
  const managedBy = validName(label(object, managedByLabel));
  const deployment = validName(label(object, deploymentLabel));
  if (managedBy === managedByValue && deployment !== undefined) return `deployment ${deployment}`;
  for (const [tool, name] of toolNames(object)) if (name !== undefined) return `${tool} ${name}`;
  if (managedBy !== undefined) return managedBy;
  const writers = fieldOwners(object).filter(({ subresource }) => subresource === "");
  const writer = writers.find(({ manager }) => manager !== controllerManager) ?? writers[0];
  return writer === undefined || writer.manager === "" ? "" : `"${writer.manager}"`;
}

function toolNames(object: KubeObject): readonly (readonly [string, string | undefined])[] {
  const tracking = annotation(object, "argocd.argoproj.io/tracking-id")?.split(":")[0];
  const isHelmRelease = label(object, "owner") === "helm";
  return [
    ["Argo CD application", validName(tracking)],
    ["Flux HelmRelease", validName(label(object, "helm.toolkit.fluxcd.io/name"))],
    ["Flux Kustomization", validName(label(object, "kustomize.toolkit.fluxcd.io/name"))],
    ["Helm release", validName(annotation(object, "meta.helm.sh/release-name"))],
    ["Helm release", isHelmRelease ? validName(label(object, "name")) : undefined],
  ];
}

/** Returns the text if it looks like a name. Annotations can contain any text of any length. */
function validName(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.-]{1,100}$/.test(text) ? text : undefined;
}
