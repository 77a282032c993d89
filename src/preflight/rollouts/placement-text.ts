import { type Json, listAt, textAt } from "../../model/json.ts";
import type { Standstill } from "./standstill.ts";

/** Describes why one more Pod has no place, with the number of nodes for each reason. */
export function standstillText({ nodes, usable, reasons }: Standstill): string {
  if (reasons === "") return nodes === 0 ? "The cluster has no nodes" : "No Pod waits for a place";
  if (usable === 0) {
    const subject = nodes === 1 ? "The only node isn't" : `None of the ${nodes} nodes is`;
    return `${subject} suitable: ${reasons}`;
  }
  const suitable = usable === nodes ? "" : "suitable ";
  const among = usable === nodes ? "" : ` (of ${nodes})`;
  return usable === 1
    ? `The only ${suitable}node${among} can't take one more Pod: ${reasons}`
    : `None of the ${usable} ${suitable}nodes${among} can take one more Pod: ${reasons}`;
}

/** Returns a factor outside the cluster's objects that decides where these Pods run. */
export function externalPlacement(pod: Json | undefined): string | undefined {
  const scheduler = textAt(pod, "schedulerName") ?? "default-scheduler";
  if (scheduler !== "default-scheduler") return `Another scheduler places its Pods: ${scheduler}`;
  if (listAt(pod, "schedulingGates").length > 0) return "Its Pods wait for scheduling gates";
  if (listAt(pod, "resourceClaims").length > 0) return "Its Pods claim devices (resourceClaims)";
  return undefined;
}
