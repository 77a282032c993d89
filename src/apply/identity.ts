import { textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * Whether `seen` is at least as new as `written`. A shared watch may still be delivering what was there before our
 * write, and an old state can look ready. Resource versions of one kind are comparable as integers (KEP-5504).
 */
export function isAtLeastAsNew(seen: KubeObject, written: KubeObject): boolean {
  const a = textAt(seen, "metadata", "resourceVersion") ?? "";
  const b = textAt(written, "metadata", "resourceVersion") ?? "";
  const comparable = /^\d+$/.test(a) && /^\d+$/.test(b);
  return comparable ? BigInt(a) >= BigInt(b) : true;
}
