import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../json.ts";
import type { GroupKind } from "../kinds.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../object.ts";
import { isCustomGroup } from "./api/built-in-groups.ts";

/**
 * Reports whether the PersistentVolumeClaims that an object created are deleted with it.
 * This applies to a StatefulSet and to custom kinds with the same fields.
 */
export function deletesOwnClaims(object: JsonObject): boolean {
  const templates = listAt(object, "spec", "volumeClaimTemplates");
  return retentionPolicy(object, "whenDeleted") === "Delete" && templates.length > 0;
}

function retentionPolicy(
  object: JsonObject,
  when: "whenDeleted" | "whenScaled",
): string | undefined {
  return textAt(object, "spec", "persistentVolumeClaimRetentionPolicy", when);
}

/** Returns the names of the object's claim templates. */
export function claimTemplateNames(object: JsonObject): readonly string[] {
  return listAt(object, "spec", "volumeClaimTemplates").flatMap(
    (template) => textAt(template, "metadata", "name") ?? [],
  );
}

/**
 * Reports whether a claim is one that the controller of an object creates from its templates, for
 * any number of replicas.
 */
export function isClaimFromTemplate(id: ObjectId, object: KubeObject): boolean {
  const { namespace, name } = idOf(object);
  if (!isClaim(id) || id.namespace !== namespace) return false;
  return claimTemplateNames(object).some((template) => {
    const start = `${template}-${name}-`;
    return id.name.startsWith(start) && /^\d+$/.test(id.name.slice(start.length));
  });
}

/** Returns the claims of its current Pods, by the names that its controller gives them. */
export function expectedClaims(object: KubeObject): readonly ObjectId[] {
  const first = firstOrdinal(object);
  return claimsForOrdinals(object, first, first + replicaCount(object));
}

/**
 * Returns the claims that are deleted because the object gets fewer Pods.
 * `after` has the retention policy that applies then.
 */
export function claimsDeletedByScaling(before: KubeObject, after: KubeObject): readonly ObjectId[] {
  if (retentionPolicy(after, "whenScaled") !== "Delete") return [];
  const end = firstOrdinal(before) + replicaCount(before);
  const last = firstOrdinal(after) + replicaCount(after);
  const higher = claimsForOrdinals(before, Math.max(last, firstOrdinal(before)), end);
  const lower = claimsForOrdinals(before, firstOrdinal(before), Math.min(firstOrdinal(after), end));
  return [...lower, ...higher];
}

function replicaCount(object: KubeObject): number {
  return numberAt(object, "spec", "replicas") ?? 1;
}

function firstOrdinal(object: KubeObject): number {
  return numberAt(object, "spec", "ordinals", "start") ?? 0;
}

/**
 * Reports whether the Pods of a workload spec use claims: named ones, one per ordinal or one per
 * Pod.
 */
export function usesClaims(spec: Json | undefined): boolean {
  const volumes = listAt(spec, "template", "spec", "volumes");
  return (
    listAt(spec, "volumeClaimTemplates").length > 0 ||
    volumes.some((volume) => textAt(volume, "persistentVolumeClaim", "claimName") !== undefined) ||
    volumes.some((volume) => ephemeralClaimTemplate(volume) !== undefined)
  );
}

/**
 * Returns the template of a generic ephemeral volume: a claim that exists as long as its Pod.
 * Returns undefined for other volumes.
 */
export function ephemeralClaimTemplate(volume: Json): Json | undefined {
  return at(volume, "ephemeral", "volumeClaimTemplate");
}

/** The maximum number of ordinals that qvs lists. The number in the manifest has no limit. */
export const maxOrdinals = 1000;

function claimsForOrdinals(object: KubeObject, from: number, to: number): readonly ObjectId[] {
  const { namespace, name } = idOf(object);
  const length = Math.min(Math.max(to - from, 0), maxOrdinals);
  const ordinals = Array.from({ length }, (_, index) => from + index);
  return claimTemplateNames(object).flatMap((template) =>
    ordinals.map((ordinal) => claimId(namespace, `${template}-${name}-${ordinal}`)),
  );
}

function claimId(namespace: string, name: string): ObjectId {
  return { group: "", kind: "PersistentVolumeClaim", namespace, name };
}

/** Reports whether a claim has the name of one that this object creates, for any ordinal. */
export function matchesClaimTemplate(claim: ObjectId, object: KubeObject): boolean {
  return matchingClaimTemplate(claim, object) !== undefined;
}

/** Returns the name of the template from which the object creates a claim of that name. */
export function matchingClaimTemplate(
  { namespace, name }: ObjectId,
  object: KubeObject,
): string | undefined {
  const own = idOf(object);
  if (own.namespace !== namespace) return undefined;
  return claimTemplateNames(object).find((template) => {
    const start = `${template}-${own.name}-`;
    return name.startsWith(start) && /^\d+$/.test(name.slice(start.length));
  });
}

export function isClaim({ group, kind }: GroupKind): boolean {
  return group === "" && kind === "PersistentVolumeClaim";
}

/**
 * Reports whether claims can be deleted with an object.
 * The reason is the object's retention policy, or an unknown controller that can own claims.
 */
export function mayDeleteClaims(object: KubeObject): boolean {
  return deletesOwnClaims(object) || isCustomGroup(groupOf(object.apiVersion));
}

/**
 * Returns the claim that a PersistentVolume is bound to.
 * The API server doesn't remove the volume before that claim (`kubernetes.io/pv-protection`).
 */
export function boundClaim(object: KubeObject): ObjectId | undefined {
  const { group, kind } = idOf(object);
  if (group !== "" || kind !== "PersistentVolume") return undefined;
  const name = textAt(object, "spec", "claimRef", "name");
  const namespace = textAt(object, "spec", "claimRef", "namespace");
  const isBound = textAt(object, "status", "phase") === "Bound";
  if (!isBound || name === undefined || namespace === undefined) return undefined;
  return { group, kind: "PersistentVolumeClaim", namespace, name };
}

/**
 * Returns the name of the claim that prevents the deletion of a volume.
 * Returns undefined if the claim is deleted before it, alone or with its Namespace.
 */
export function blockingClaimName(
  volume: KubeObject,
  after: readonly { readonly on: string }[],
): string | undefined {
  const claim = boundClaim(volume);
  if (claim === undefined) return undefined;
  const deleted = new Set(after.map(({ on }) => on));
  return claimDeletionKeys(claim).some((key) => deleted.has(key)) ? undefined : nameOf(claim);
}

/** Returns the keys of the objects whose deletion also deletes a claim. */
export function claimDeletionKeys(claim: ObjectId): readonly string[] {
  const namespace = { group: "", kind: "Namespace", namespace: "", name: claim.namespace };
  return [keyOf(claim), keyOf(namespace)];
}
