import type { KubeObject } from "../model/object.ts";

/**
 * Returns an API server warning about `object` that can be shown. A warning can quote the request
 * or the live object, like a rejection.
 */
export function showableWarning(text: string, object: KubeObject, mayQuote: boolean): string {
  if (mayQuote) return text;
  const { apiVersion, kind } = object;
  const deprecation = /^(\S+) (\S+) is deprecated in v\d+\.\d+\+(?:, unavailable in v\d+\.\d+\+)?/;
  const [sentence, version, warnedKind] = deprecation.exec(text) ?? [];
  if (sentence !== undefined && version === apiVersion && warnedKind === kind) return sentence;
  return "the API server sent a warning that could quote a hidden value";
}
