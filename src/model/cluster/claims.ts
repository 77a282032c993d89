import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../object.ts";

/** Whether the claims that an object has made are deleted with it: a StatefulSet, and kinds of others that are like it. */
export function deletesItsClaims(object: JsonObject): boolean {
  const templates = listAt(object, "spec", "volumeClaimTemplates");
  return retention(object, "whenDeleted") === "Delete" && templates.length > 0;
}

function retention(object: JsonObject, when: "whenDeleted" | "whenScaled"): string | undefined {
  return textAt(object, "spec", "persistentVolumeClaimRetentionPolicy", when);
}

/** The names of its templates of claims. */
export function templatesOf(object: JsonObject): readonly string[] {
  return listAt(object, "spec", "volumeClaimTemplates").flatMap(
    (template) => textAt(template, "metadata", "name") ?? [],
  );
}

/** The claims of the Pods that it has now, by the names that its controller gives them. */
export function claimsOf(object: KubeObject): readonly ObjectId[] {
  const first = firstOrdinal(object);
  return claimsBetween(object, first, first + replicasOf(object));
}

/** The claims that go because it is to have fewer Pods. `after` has the policy that counts by then. */
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

/** Whether Pods of this spec of a workload have volumes that are claims: named, made for each ordinal, or made for each Pod. */
export function usesClaims(spec: Json | undefined): boolean {
  const volumes = listAt(spec, "template", "spec", "volumes");
  return (
    listAt(spec, "volumeClaimTemplates").length > 0 ||
    volumes.some((volume) => textAt(volume, "persistentVolumeClaim", "claimName") !== undefined) ||
    volumes.some((volume) => ephemeralClaimOf(volume) !== undefined)
  );
}

/** The template of a claim that each Pod has for itself, as long as it lives (generic ephemeral volumes); undefined for other volumes. */
export function ephemeralClaimOf(volume: Json): Json | undefined {
  return at(volume, "ephemeral", "volumeClaimTemplate");
}

/** More than this nobody reads, and the number may be anything. */
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

/** Whether a claim has the name of one that this object makes, whatever its number. */
export function isNamedByTemplate(claim: ObjectId, object: KubeObject): boolean {
  return templateNaming(claim, object) !== undefined;
}

/** The name of the template by which the object makes a claim of that name, whatever its number. */
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

/** Whether claims may go with an object: by its own policy, or since the controller of an unknown kind owns them by it. */
export function mayTakeClaims(object: KubeObject): boolean {
  return deletesItsClaims(object) || isCustom(groupOf(object.apiVersion));
}

/** No group of Kubernetes itself. */
export function isCustom(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}

/** The claim that a volume is bound to: it is not gone before that is, whoever deletes it (`kubernetes.io/pv-protection`). */
export function boundClaimOf(object: KubeObject): ObjectId | undefined {
  const { group, kind } = idOf(object);
  if (group !== "" || kind !== "PersistentVolume") return undefined;
  const name = textAt(object, "spec", "claimRef", "name");
  const namespace = textAt(object, "spec", "claimRef", "namespace");
  const isBound = textAt(object, "status", "phase") === "Bound";
  if (!isBound || name === undefined || namespace === undefined) return undefined;
  return { group, kind: "PersistentVolumeClaim", namespace, name };
}

/** The claim that keeps a volume from being deleted, for messages; undefined where it goes before, by itself or with its Namespace. */
export function holdsVolume(
  volume: KubeObject,
  after: readonly { readonly on: string }[],
): string | undefined {
  const claim = boundClaimOf(volume);
  if (claim === undefined) return undefined;
  const gone = new Set(after.map(({ on }) => on));
  return goingWith(claim).some((key) => gone.has(key)) ? undefined : nameOf(claim);
}

/** Keys of what takes a claim away when it is deleted. */
export function goingWith(claim: ObjectId): readonly string[] {
  const namespace = { group: "", kind: "Namespace", namespace: "", name: claim.namespace };
  return [keyOf(claim), keyOf(namespace)];
}
