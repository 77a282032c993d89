import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { ready, type Status, waiting } from "./status.ts";

export function namespaceStatus(object: KubeObject): Status {
  const phase = textAt(object, "status", "phase") ?? "unknown";
  return phase === "Active" ? ready() : waiting(`phase ${phase}`);
}
