import { numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { condition, explain } from "./conditions.ts";
import { isObserved } from "./observed.ts";
import { replicasWanted } from "./replicas.ts";
import { failed, ready, type Status, waiting } from "./status.ts";

export function replicaSetStatus(object: KubeObject): Status {
  if (!isObserved(object)) return waiting("its controller has not seen it yet");
  const refusal = condition(object, "ReplicaFailure");
  if (refusal?.status === "True") return failed(explain(refusal));
  const wanted = replicasWanted(object);
  const short = counted.filter((field) => (numberAt(object, "status", field) ?? 0) !== wanted);
  if (short.length === 0) return ready();
  return waiting(`${numberAt(object, "status", "readyReplicas") ?? 0}/${wanted} ready`);
}

const counted = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
