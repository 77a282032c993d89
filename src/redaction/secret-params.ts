import { isObject, type Json, type JsonObject } from "../model/json.ts";
import { toBase64 } from "../model/text/base64.ts";
import { textsToHide } from "./hide-texts.ts";
import { looksSecret, secretsWithin } from "./looks-secret.ts";

/** What is known of where the values of params came from. */
export interface ParamOrigins {
  /** Params whose values came from the command line; undefined where nobody knows. */
  readonly inline?: readonly string[] | undefined;
  /** Params that the config hands to params of adapters that are called secrets. */
  readonly secret?: readonly string[] | undefined;
}

/**
 * The texts of params that stand in no output, in the forms in which manifests and messages hold them: the only place that decides
 * it, for previews, drift, releases and rollbacks.
 */
export function textsOfSecretParams(
  params: JsonObject,
  { inline, secret = [] }: ParamOrigins,
): readonly string[] {
  const texts = Object.entries(params).flatMap(([name, value]) => {
    const isInline = inline?.includes(name) === true;
    const values = secretsOf(name, value, isInline, secret.includes(name));
    return values.flatMap(isInline ? textsOfAnyLength : textsToHide);
  });
  return [...new Set(texts)];
}

function secretsOf(
  name: string,
  value: Json,
  isInline: boolean,
  isSecret: boolean,
): readonly Json[] {
  // A `#Secret` says where a secret is. What the command line gives, nobody has declared.
  if (!isInline && isReference(value)) return [];
  return isSecret || looksSecret(name) ? [value] : secretsWithin(value, name);
}

/** `{key, version}`. */
function isReference(value: Json): boolean {
  return (
    isObject(value) &&
    "key" in value &&
    Object.keys(value).every((name) => ["key", "version"].includes(name))
  );
}

/** A short text hides only what is this text; what is true or false tells nothing. */
function textsOfAnyLength(value: Json): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap(textsOfAnyLength);
  const text = value === null ? "" : String(value);
  return /^(?:|true|false)$/i.test(text) ? [] : [text, toBase64(text), ...textsToHide(text)];
}
