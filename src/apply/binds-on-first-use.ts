import { textAt } from "../model/json.ts";
import { idOf, type KubeObject } from "../model/object.ts";
import type { Cluster } from "../ports.ts";

/** Whether a PersistentVolumeClaim will stay Pending until a Pod uses it. Only its storage class says so. */
export async function bindsOnFirstUse(cluster: Cluster, object: KubeObject): Promise<boolean> {
  const { group, kind, namespace, name } = idOf(object);
  if (group !== "" || kind !== "PersistentVolumeClaim") return false;
  const storageClass = textAt(object, "spec", "storageClassName") ?? "";
  if (storageClass === "") return false;
  const answer = await cluster.read({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    namespace: "",
    name: storageClass,
  });
  return answer.ok
    ? textAt(answer.value, "volumeBindingMode") === "WaitForFirstConsumer"
    : saysSoInAnEvent(cluster, namespace, name);
}

/** Storage classes are cluster-scoped and often not readable for a deployment's identity; events usually are. */
async function saysSoInAnEvent(
  cluster: Cluster,
  namespace: string,
  name: string,
): Promise<boolean> {
  const events = await cluster.list("v1", "Event", namespace);
  if (!events.ok) return false;
  return events.value.items.some(
    (event) =>
      textAt(event, "reason") === "WaitForFirstConsumer" &&
      textAt(event, "involvedObject", "name") === name,
  );
}
