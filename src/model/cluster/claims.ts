import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../object.ts";

/**
 * Reports whether the PersistentVolumeClaims that an object created are deleted with it.
 * This applies to a StatefulSet and to custom kinds with the same fields.
 */
export function deletesItsClaims(object: JsonObject): boolean {
  const templates = listAt(object, "spec", "volumeClaimTemplates");
  return retention(object, "whenDeleted") === "Delete" && templates.length > 0;
}

function retention(object: JsonObject, when: "whenDeleted" | "whenScaled"): string | undefined {
  return textAt(object, "spec", "persistentVolumeClaimRetentionPolicy", when);
}

/** Returns the names of the object's claim templates. */
export function templatesOf(object: JsonObject): readonly string[] {
  return listAt(object, "spec", "volumeClaimTemplates").flatMap(
    (template) => textAt(template, "metadata", "name") ?? [],
  );
}

/** Returns the claims of its current Pods, by the names that its controller gives them. */
export function claimsOf(object: KubeObject): readonly ObjectId[] {
  const first = firstOrdinal(object);
  return claimsBetween(object, first, first + replicasOf(object));
}

/**
 * Returns the claims that are deleted because the object gets fewer Pods.
 * `after` has the retention policy that applies then.
 */
export function claimsOfFewer(before: KubeObject, after: KubeObject): readonly ObjectId[] {
  if (retention(after, "whenScaled") !== "Delete") return [];
  const end = firstOrdinal(before) + replicasOf(before);
  const last = firstOrdinal(after) + replicasOf(after);
  const higher = claimsBetween(before, Math.max(last, firstOrdinal(before)), end);
  const lower = claimsBetween(before, firstOrdinal(before), Math.min(firstOrdinal(after), end));
  return [...lower, ...higher];
}

function replicasOf(object: KubeObject): number {
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
    volumes.some((volume) => ephemeralClaimOf(volume) !== undefined)
  );
}

/**
 * Returns the template of a generic ephemeral volume: a claim that exists as long as its Pod.
 * Returns undefined for other volumes.
 */
export function ephemeralClaimOf(volume: Json): Json | undefined {
  return at(volume, "ephemeral", "volumeClaimTemplate");
}

/** The maximum number of ordinals that qvs lists. The number in the manifest has no limit. */
export const mostOrdinals = 1000;

function claimsBetween(object: KubeObject, from: number, to: number): readonly ObjectId[] {
  const { namespace, name } = idOf(object);
  const length = Math.min(Math.max(to - from, 0), mostOrdinals);
  const ordinals = Array.from({ length }, (_, index) => from + index);
  return templatesOf(object).flatMap((template) =>
    ordinals.map((ordinal) => claimId(namespace, `${template}-${name}-${ordinal}`)),
  );
}

function claimId(namespace: string, name: string): ObjectId {
  return { group: "", kind: "PersistentVolumeClaim", namespace, name };
}

/** Reports whether a claim has the name of one that this object creates, for any ordinal. */
export function isNamedByTemplate(claim: ObjectId, object: KubeObject): boolean {
  return templateNaming(claim, object) !== undefined;
}

/** Returns the name of the template from which the object creates a claim of that name. */
export function templateNaming(
  { namespace, name }: ObjectId,
  object: KubeObject,
): string | undefined {
  const own = idOf(object);
  if (own.namespace !== namespace) return undefined;
  return templatesOf(object).find((template) => {
    const start = `${template}-${own.name}-`;
    return name.startsWith(start) && /^\d+$/.test(name.slice(start.length));
  });
}

export function isClaim({ group, kind }: Pick<ObjectId, "group" | "kind">): boolean {
  return group === "" && kind === "PersistentVolumeClaim";
}

/**
 * Reports whether claims can be deleted with an object.
 * The reason is the object's retention policy, or an unknown controller that can own claims.
 */
export function mayTakeClaims(object: KubeObject): boolean {
  return deletesItsClaims(object) || isCustom(groupOf(object.apiVersion));
}

/** Reports whether an API group isn't one of Kubernetes itself. */
export function isCustom(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}

/**
 * Returns the claim that a PersistentVolume is bound to.
 * The API server doesn't remove the volume before that claim (`kubernetes.io/pv-protection`).
 */
export function boundClaimOf(object: KubeObject): ObjectId | undefined {
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
export function holdsVolume(
  volume: KubeObject,
  after: readonly { readonly on: string }[],
): string | undefined {
  const claim = boundClaimOf(volume);
  if (claim === undefined) return undefined;
  const gone = new Set(after.map(({ on }) => on));
  return goingWith(claim).some((key) => gone.has(key)) ? undefined : nameOf(claim);
}

/** Returns the keys of the objects whose deletion also deletes a claim. */
export function goingWith(claim: ObjectId): readonly string[] {
  const namespace = { group: "", kind: "Namespace", namespace: "", name: claim.namespace };
  return [keyOf(claim), keyOf(namespace)];
}
