import type { KubeObject } from "../model/object.ts";

/**
 * Returns an API server warning about `object` that can be shown. A warning can quote the request
 * or the live object, like a rejection.
 */
export function showableWarning(text: string, object: KubeObject, mayQuote: boolean): string {
  if (mayQuote) return text;
  const { apiVersion, kind } = object;
  const ofVersion = /^(\S+) (\S+) is deprecated in v\d+\.\d+\+(?:, unavailable in v\d+\.\d+\+)?/;
  const [said, version, of] = ofVersion.exec(text) ?? [];
  if (said !== undefined && version === apiVersion && of === kind) return said;
  return "the API server sent a warning that could quote a hidden value";
}
