import { textAt } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { VolumeBinding } from "./status/conditions.ts";

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
