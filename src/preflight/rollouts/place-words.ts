import { type Json, listAt, textAt } from "../../model/json.ts";
import type { Standstill } from "./obstacles.ts";

/** Describes why one more Pod has no place, with the number of nodes for each reason. */
export function numbers({ nodes, usable, reasons }: Standstill): string {
  if (reasons === "") return "no Pod waits for a place";
  if (usable === 0) return `${noneOf(nodes)} may be used by its Pods: ${reasons}`;
  const among = usable === nodes ? "" : ` that its Pods may use (of ${nodes})`;
  const has = usable === 1 ? "has no" : "has a";
  return `${usable === 1 ? "the only node" : noneOf(usable)}${among} ${has} place for one more Pod: ${reasons}`;
}

function noneOf(nodes: number): string {
  if (nodes === 0) return "no node";
  return nodes === 1 ? "not even the only node" : `none of the ${nodes} nodes`;
}

/** Returns a factor outside the cluster's objects that decides where these Pods run. */
export function placedByOthers(pod: Json | undefined): string | undefined {
  const scheduler = textAt(pod, "schedulerName") ?? "default-scheduler";
  if (scheduler !== "default-scheduler") return `its Pods are placed by ${scheduler}`;
  if (listAt(pod, "schedulingGates").length > 0) return "its Pods wait for scheduling gates";
  if (listAt(pod, "resourceClaims").length > 0) return "its Pods claim devices (resourceClaims)";
  return undefined;
}
