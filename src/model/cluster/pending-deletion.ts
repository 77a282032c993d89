import { at, listAt, numberAt, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, label, nameOf } from "../object.ts";
import { summarizeList } from "../text/suggest.ts";

/**
 * Lists the finalizers that no controller of Kubernetes itself removes, such as those of operators.
 */
export function customFinalizers(live: KubeObject): readonly string[] {
  return listAt(live, "metadata", "finalizers").filter(
    (finalizer) => typeof finalizer === "string" && !isBuiltInFinalizer(finalizer),
  ) as readonly string[];
}

/**
 * Reports whether a finalizer belongs to Kubernetes itself: `foregroundDeletion`,
 * `kubernetes.io/pvc-protection`, `customresourcecleanup.apiextensions.k8s.io`.
 */
function isBuiltInFinalizer(finalizer: string): boolean {
  const [domain = "", name] = finalizer.split("/");
  if (name === undefined && !domain.includes(".")) return true;
  return /(^|\.)(kubernetes|k8s)\.io$/.test(domain);
}

/**
 * Returns the server's reason why the deletion of a Namespace doesn't progress, such as remaining
 * finalizers.
 * For a CustomResourceDefinition, the reason contains the number of remaining objects. Returns
 * undefined if the server reports nothing.
 */
export function deletionBlockReason(live: KubeObject): string | undefined {
  const messages = listAt(live, "status", "conditions")
    .filter((condition) => textAt(condition, "status") === "True")
    .filter((condition) => deletionConditions.includes(textAt(condition, "type") ?? ""))
    .flatMap((condition) => textAt(condition, "message") ?? []);
  return messages.length === 0 ? undefined : messages.join("; ");
}

/**
 * Conditions from the controllers that delete a Namespace or the objects of a
 * CustomResourceDefinition.
 */
const deletionConditions: readonly string[] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
  "Terminating",
];

/** An object that still exists after a request to delete it. */
export interface PendingDeletion {
  readonly finalizers: readonly string[];
  /** The server's own reason. */
  readonly blockReason?: string | undefined;
  /** The objects of the kind that a CustomResourceDefinition defines. */
  readonly instances?: readonly KubeObject[] | undefined;
  /**
   * The known objects that must be deleted first: its dependents, or the objects in a Namespace.
   */
  readonly blockers?: readonly Blocker[] | undefined;
  /** The reason why qvs couldn't read it. */
  readonly unreadable?: string;
}

/** An object that delays the deletion of another one and waits for no object itself. */
export interface Blocker {
  readonly object: KubeObject;
  /** The owner between the two, such as the ReplicaSet of a Pod. */
  readonly owner?: KubeObject | undefined;
}

export function isBeingDeleted(object: KubeObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

export function listFinalizers(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((name) => typeof name === "string");
}

/**
 * The finalizer of the garbage collector.
 * It is removed when no object remains that names this one as its owner and blocks its deletion.
 */
export const foregroundFinalizer = "foregroundDeletion";

/** Describes what a deletion waits for. */
export function describePendingDeletion(left: PendingDeletion): string {
  const { finalizers, blockReason, unreadable, instances } = left;
  if (unreadable !== undefined) return `it can't be read: ${unreadable}`;
  if (instances !== undefined) return instancesText(instances);
  const blockers = blockersText(left);
  if (blockReason !== undefined) return [blockReason, ...blockers].join("; it waits for ");
  const controllers = finalizers.filter((name) => name !== foregroundFinalizer);
  const held =
    controllers.length > 0 ? [`it waits for the finalizers ${controllers.join(", ")}`] : [];
  const owned = blockers.length > 0 ? [`${dependentsRemain}: ${blockers.join("")}`] : [];
  if (held.length + owned.length > 0) return [...held, ...owned].join("; ");
  return finalizers.length === 0 ? "it still exists" : dependentsRemain;
}

const dependentsRemain = "its dependent objects are still being deleted";

/**
 * Names the objects that must be deleted first, as one string. The list is empty if none is known.
 */
export function blockersText({
  blockers = [],
}: Pick<PendingDeletion, "blockers">): readonly string[] {
  if (blockers.length === 0) return [];
  const texts = blockers.map(({ object, owner }) => {
    const of = owner === undefined ? "" : ` of ${nameOf(idOf(owner))}`;
    return `${nameOf(idOf(object))}${of}${terminationText(object)}`;
  });
  return [summarizeList(texts.toSorted(), maxNamed)];
}

const maxNamed = 3;

/**
 * Returns
 * `2 objects of its kind still exist: Backup shop/a (finalizers example.com/hold), Backup shop/b`.
 */
function instancesText(instances: readonly KubeObject[]): string {
  const texts = instances.map((object) => `${nameOf(idOf(object))}${terminationText(object)}`);
  const count =
    texts.length === 1
      ? "1 object of its kind still exists"
      : `${texts.length} objects of its kind still exist`;
  return `${count}: ${summarizeList(texts.toSorted(), maxNamed)}`;
}

/** Returns ` (terminating since 2026-11-19T09:30:00Z, finalizers example.com/hold)`. */
function terminationText(object: KubeObject): string {
  const since = textAt(object, "metadata", "deletionTimestamp");
  const finalizers = listFinalizers(object).filter((name) => name !== foregroundFinalizer);
  const facts = [
    ...(since === undefined ? [] : [`terminating since ${since}`]),
    ...(finalizers.length === 0 ? [] : [`finalizers ${finalizers.join(", ")}`]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/**
 * Reports whether finalizers remain that no controller of Kubernetes itself removes.
 * Kubernetes removes its own finalizers soon.
 */
export function isHeldByFinalizer({
  finalizers,
  blockers = [],
  instances = [],
}: PendingDeletion): boolean {
  const own = { metadata: { finalizers } } as unknown as KubeObject;
  const all = [own, ...blockers.map(({ object }) => object), ...instances];
  return all.some((object) => customFinalizers(object).length > 0);
}

/**
 * Finalizers of Kubernetes itself that no operator removes, with the action that ends each of them.
 */
const finalizerFixes: ReadonlyMap<string, string> = new Map([
  [
    foregroundFinalizer,
    "Find the objects that name it in metadata.ownerReferences, and the cause that blocks their deletion",
  ],
  ["kubernetes.io/pvc-protection", "Delete the Pods that still use the PersistentVolumeClaim"],
  ["kubernetes.io/pv-protection", "Delete the PersistentVolumeClaim that is bound to the volume"],
  [
    "service.kubernetes.io/load-balancer-cleanup",
    "Check that the load balancer controller is running: it removes the finalizer after it deletes the load balancer",
  ],
]);

const controllerFix =
  "Check that the controller of each finalizer is running and can do its work. If it no longer exists, remove its finalizer";

/** Returns the action that lets the deletion continue. */
export function pendingDeletionFix(left: PendingDeletion): string {
  const { finalizers, blockReason, instances = [] } = left;
  if (isHeldByFinalizer(left)) return controllerFix;
  if (instances.length > 0) return "Find out what blocks the deletion of these objects";
  if (blockReason !== undefined) {
    return /finalizer/i.test(blockReason)
      ? controllerFix
      : "Fix the cause that the API server reports";
  }
  if (finalizers.length === 0) return "Find out what blocks its deletion";
  const known = finalizers.flatMap((name) => finalizerFixes.get(name) ?? []);
  return known.length === finalizers.length ? known.join("; ") : controllerFix;
}

/**
 * Pods that a StatefulSet waits for. It doesn't replace them with a new template until they are
 * ready.
 */
export interface StuckPods {
  readonly namespace: string;
  /** Sorted by ordinal. */
  readonly names: readonly string[];
  /**
   * True if they have another revision than the target revision. Only their deletion helps then.
   */
  readonly isOldRevision: boolean;
}

/**
 * Finds the unready Pods that block an ordered StatefulSet.
 * Such a StatefulSet does nothing while a Pod isn't ready, and doesn't even replace that Pod. A
 * user must delete the Pod after the template is correct
 * (kubernetes.io/docs/concepts/workloads/controllers/statefulset#forced-rollback).
 * `pods` are the Pods of this StatefulSet. `revision` is the target revision; undefined if no Pod
 * can have it yet.
 */
export function stuckPods(
  set: KubeObject,
  pods: readonly KubeObject[],
  revision: string | undefined,
): StuckPods | undefined {
  const { namespace, name } = idOf(set);
  if (groupOf(set.apiVersion) !== "apps" || set.kind !== "StatefulSet" || !isOrdered(set)) {
    return undefined;
  }
  const first = numberAt(set, "spec", "ordinals", "start") ?? 0;
  const held = numberAt(set, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const unready = pods
    .filter((pod) => !isReady(pod) && textAt(pod, "metadata", "deletionTimestamp") === undefined)
    .map((pod) => ({ ...idOf(pod), number: Number(idOf(pod).name.slice(name.length + 1)), pod }))
    .toSorted((a, b) => a.number - b.number);
  const [lowest] = unready;
  // The StatefulSet recreates a Pod below the partition with its former template.
  if (lowest === undefined || lowest.number < first + held) return undefined;
  const isOld = (pod: KubeObject) =>
    revision === undefined || label(pod, "controller-revision-hash") !== revision;
  const isOldRevision = isOld(lowest.pod);
  const named = unready.filter(({ pod }) => isOld(pod) === isOldRevision);
  return { namespace, names: named.map((each) => each.name), isOldRevision };
}

function isOrdered(set: KubeObject): boolean {
  return (
    textAt(set, "spec", "podManagementPolicy") !== "Parallel" &&
    textAt(set, "spec", "updateStrategy", "type") !== "OnDelete"
  );
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, "status", "conditions").some(
    (each) => at(each, "type") === "Ready" && at(each, "status") === "True",
  );
}

/** Returns the command that deletes the Pods. */
export function deletePodsCommand({ namespace, names }: StuckPods): string {
  return `kubectl delete pod ${names.join(" ")} -n ${namespace}`;
}
