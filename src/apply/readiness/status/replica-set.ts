import { numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { explainCondition, findCondition } from "./conditions.ts";
import { desiredReplicas } from "./replicas.ts";
import { failed, isObserved, notObserved, ready, type Status, waiting } from "./status.ts";

export function replicaSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return notObserved();
  const refusal = findCondition(object, "ReplicaFailure");
  if (refusal?.status === "True") return failed(explainCondition(refusal));
  const desired = desiredReplicas(object);
  const short = countFields.filter((field) => (numberAt(object, "status", field) ?? 0) !== desired);
  if (short.length === 0) return ready();
  return waiting(`${numberAt(object, "status", "readyReplicas") ?? 0}/${desired} ready`);
}

const countFields = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
