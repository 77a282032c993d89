import { isObject, type Json, type JsonObject } from "../src/model/json.ts";

/**
 * Returns resources of `cue export`, by id, in the form of the manifests that qvs creates of them.
 */
export function withoutProvider(resources: Json | undefined): JsonObject {
  const entries = Object.entries(isObject(resources) ? resources : {}).map(([id, resource]) => {
    const { provider: _provider, output: _output, ...object } = resource as JsonObject;
    return [id, object] as const;
  });
  return Object.fromEntries(entries);
}
