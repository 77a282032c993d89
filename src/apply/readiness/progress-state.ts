import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/**
 * Returns the part of an object that changes only if its controller makes progress: the generation,
 * counts, phases, and the status and reason of conditions. Times, messages, and counts of failures
 * change without any progress.
 */
export function progressState({ metadata, status }: KubeObject): string {
  const { generation = null } = metadata;
  return JSON.stringify([generation, isObject(status) ? withoutNoise(status) : null]);
}

function withoutNoise(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([name, value]) => !isNoise(name, value));
  return Object.fromEntries(
    kept.map(([name, value]): readonly [string, Json] => [name, reduced(name, value)]),
  );
}

function reduced(name: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((each) => reduced(name, each));
  return isObject(value) ? withoutNoise(value) : value;
}

function isNoise(name: string, value: Json): boolean {
  if (typeof value === "number") return failureCount.test(name);
  return (typeof value === "string" && isoTime.test(value)) || noise.test(name);
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Numbers that grow with every failed attempt. */
const failureCount = /fail|retr(?:y|ies)|restart|attempt|error|collision|backoff/i;

/** Fields with another content at every write of a controller. */
const noise =
  /message$|time$|timestamp$|heartbeat|^lastProbe|resourceVersion$|^uncountedTerminatedPods$/i;
