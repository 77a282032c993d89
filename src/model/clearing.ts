import type { Json, JsonObject } from "./json.ts";
import { onlyFor, pointerTo } from "./json-patch.ts";
import type { KubeObject } from "./object.ts";

/**
 * A part of a live object that the server has filled with a default, which nobody owns and which forbids what we declare there:
 * `rollingUpdate` under a strategy that is to be `Recreate`. Applying can't remove what nobody owns.
 */
export interface Clearing {
  /** The fields that lead to the part, e.g. spec, strategy. */
  readonly path: readonly string[];
  /** What it becomes: what we declare there, nothing else. */
  readonly value: Json;
  /** The default that goes, e.g. `spec.strategy.rollingUpdate`. */
  readonly removes: string;
}

/** The JSON Patch (RFC 6902) that does it, for exactly this version of the object. */
export function clearingPatch(live: KubeObject, { path, value }: Clearing): readonly JsonObject[] {
  return [onlyFor(live), { op: "replace", path: pointerTo(path), value }];
}
