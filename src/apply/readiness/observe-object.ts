import { textAt } from "../../model/json.ts";
import { addressOf, idOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { failed, type Status, type VolumeBinding } from "./status/conditions.ts";
import { isCompletedJob } from "./status/workload-status.ts";
import type { WatchView } from "./watches.ts";

/** The last known state of the object. */
interface Observation {
  readonly object?: KubeObject;
  /** Set if a longer wait is pointless. */
  readonly verdict?: Status;
  readonly error?: string;
}

export function observationFromWatch(written: KubeObject, objects: WatchView): Observation {
  const last = objects.last(addressOf(written).name);
  const error = objects.error();
  if (error?.final) return { verdict: failed(`it can't be watched: ${error.message}`) };
  if (last === undefined) return error === undefined ? {} : { error: error.message };
  const { object, present } = last;
  if (uidOf(object) !== uidOf(written))
    return isAtLeastAsNew(object, written) ? replacedDuringWait : {};
  if (!present && !isCompletedJob(object)) {
    return { verdict: failed(deletedDuringWait) };
  }
  return isAtLeastAsNew(object, written) ? { object } : {};
}

const deletedDuringWait = "it was deleted while qvs waited for it";

const replacedDuringWait: Observation = {
  verdict: failed("another object took its place while qvs waited for it"),
};

/**
 * Reads the object if the watch has no event for it, or without a watch.
 * A watch never reports an object that was deleted before the watch began.
 */
export async function readDirectly(
  cluster: Cluster,
  written: KubeObject,
  objects: WatchView | undefined,
): Promise<Observation> {
  const seenByWatch = objects === undefined ? {} : observationFromWatch(written, objects);
  if (seenByWatch.verdict !== undefined) return seenByWatch;
  const answer = await cluster.read(addressOf(written));
  if (!answer.ok) return { error: seenByWatch.error ?? answer.failure.message };
  if (answer.value === undefined) {
    return { verdict: failed(deletedDuringWait) };
  }
  return uidOf(answer.value) === uidOf(written) ? { object: answer.value } : replacedDuringWait;
}

/**
 * Reports whether `seen` is at least as new as `written`.
 * A shared watch can still deliver states from before the write, and an old state can look ready.
 * Resource versions of one kind are comparable as integers (KEP-5504).
 */
function isAtLeastAsNew(seen: KubeObject, written: KubeObject): boolean {
  const a = textAt(seen, "metadata", "resourceVersion") ?? "";
  const b = textAt(written, "metadata", "resourceVersion") ?? "";
  const comparable = /^\d+$/.test(a) && /^\d+$/.test(b);
  return comparable ? BigInt(a) >= BigInt(b) : true;
}

/**
 * Returns a function that reads when a PersistentVolumeClaim gets its volume.
 * The StorageClass contains this, but it is cluster-scoped and often not readable for a
 * deployment's identity. Events usually are readable. The event appears a moment after the claim,
 * so each call looks for it.
 */
export function createBindingReader(
  cluster: Cluster,
  claim: KubeObject,
): () => Promise<VolumeBinding> {
  const { group, kind } = idOf(claim);
  const storageClass = textAt(claim, "spec", "storageClassName") ?? "";
  if (group !== "" || kind !== "PersistentVolumeClaim" || storageClass === "") {
    return async () => "at once";
  }
  let known: VolumeBinding | undefined;
  return async () => {
    known ??= await bindingByClass(cluster, storageClass);
    if (known === "unknown") return bindingByEvent(cluster, claim);
    return known;
  };
}

/** Returns the binding at one moment. It reads the cluster only for a pending claim. */
export async function readVolumeBinding(
  cluster: Cluster,
  object: KubeObject,
): Promise<VolumeBinding> {
  const isPending = textAt(object, "status", "phase") === "Pending";
  return isPending ? createBindingReader(cluster, object)() : "at once";
}

async function bindingByClass(cluster: Cluster, storageClass: string): Promise<VolumeBinding> {
  const answer = await cluster.read({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    namespace: "",
    name: storageClass,
  });
  if (!answer.ok) return "unknown";
  const waitsForConsumer = textAt(answer.value, "volumeBindingMode") === "WaitForFirstConsumer";
  return waitsForConsumer ? "on first use" : "at once";
}

async function bindingByEvent(cluster: Cluster, claim: KubeObject): Promise<VolumeBinding> {
  const { namespace, name } = idOf(claim);
  const events = await cluster.list("v1", "Event", namespace);
  if (!events.ok) return "unknown";
  const waitsForConsumer = events.value.items.some(
    (event) =>
      textAt(event, "reason") === "WaitForFirstConsumer" &&
      textAt(event, "involvedObject", "name") === name,
  );
  return waitsForConsumer ? "on first use" : "at once";
}
