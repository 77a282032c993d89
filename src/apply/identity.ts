import { textAt } from "../model/json.ts";
import { idOf, type KubeObject } from "../model/object.ts";
import type { ObjectAddress } from "../ports.ts";

export function addressOf(object: KubeObject): ObjectAddress {
  const { kind, namespace, name } = idOf(object);
  return { apiVersion: object.apiVersion, kind, namespace, name };
}

export function uidOf(object: KubeObject): string {
  return textAt(object, "metadata", "uid") ?? "";
}

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
