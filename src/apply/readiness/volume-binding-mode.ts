import { textAt } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Binding } from "./status/status.ts";

/**
 * Returns a function that reads when a PersistentVolumeClaim gets its volume.
 * The StorageClass contains this, but it is cluster-scoped and often not readable for a
 * deployment's identity. Events usually are readable. The event appears a moment after the claim,
 * so each call looks for it.
 */
export function volumeBindingMode(cluster: Cluster, claim: KubeObject): () => Promise<Binding> {
  const { group, kind } = idOf(claim);
  const storageClass = textAt(claim, "spec", "storageClassName") ?? "";
  if (group !== "" || kind !== "PersistentVolumeClaim" || storageClass === "") {
    return async () => "at once";
  }
  let known: Binding | undefined;
  return async () => {
    known ??= await bindingIn(cluster, storageClass);
    if (known === "unknown") return bindingByEvent(cluster, claim);
    return known;
  };
}

/** Returns the binding at one moment. It reads the cluster only for a pending claim. */
export async function volumeBindingNow(cluster: Cluster, object: KubeObject): Promise<Binding> {
  const isPending = textAt(object, "status", "phase") === "Pending";
  return isPending ? volumeBindingMode(cluster, object)() : "at once";
}

async function bindingIn(cluster: Cluster, storageClass: string): Promise<Binding> {
  const answer = await cluster.read({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    namespace: "",
    name: storageClass,
  });
  if (!answer.ok) return "unknown";
  const late = textAt(answer.value, "volumeBindingMode") === "WaitForFirstConsumer";
  return late ? "on first use" : "at once";
}

async function bindingByEvent(cluster: Cluster, claim: KubeObject): Promise<Binding> {
  const { namespace, name } = idOf(claim);
  const events = await cluster.list("v1", "Event", namespace);
  if (!events.ok) return "unknown";
  const late = events.value.items.some(
    (event) =>
      textAt(event, "reason") === "WaitForFirstConsumer" &&
      textAt(event, "involvedObject", "name") === name,
  );
  return late ? "on first use" : "at once";
}
