import { isList, isObject, type Json } from "../model/json.ts";
import { isSecretField, looksSecret, readsLikeSecretValue } from "./looks-secret.ts";
import { isPlainSetting, wordsOfName } from "./plain-setting.ts";

/** Returns whether a named value can be or hold a secret. Without a value its name decides. */
export function holdsSecret(name: string, value: Json | undefined): boolean {
  return value === undefined ? looksSecret(name) : secretsOf(name, value).length > 0;
}

/** Returns the parts of a named value that may be secrets. */
export function secretsOf(name: string, value: Json): readonly Json[] {
  return looksSecret(name) ? secretsBelow(value, name) : secretsWithin(value, name);
}

/** The values within a value that may be secrets, by the names of their fields or by what they look like. `holder` is what it is called. */
function secretsWithin(value: Json, holder = ""): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => secretsWithin(item, holder));
  if (!isObject(value)) {
    return typeof value === "string" && readsLikeSecretValue(value) ? [value] : [];
  }
  return Object.entries(value).flatMap(([field, inner]) =>
    isSecretField(value, field, holder) ? secretsBelow(inner, field) : secretsWithin(inner, field),
  );
}

/**
 * Returns the values below a name that looks secret. `externalSecrets` is a program, and its
 * fields are settings: each counts by its own name. Below other names (`password: {value: …}`,
 * `tokens: {alice: …}`) every value counts that is not plainly a setting.
 */
export function secretsBelow(value: Json, holder: string): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => secretsBelow(item, holder));
  const isOfProgram = isObject(value) && isProgram(holder);
  return isOfProgram ? secretsOfProgram(value) : valuesBelow(value, holder);
}

/** In `passwords: {…}` the names are those of owners, whatever they mean elsewhere. */
function valuesBelow(value: Json, holder: string): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => valuesBelow(item, holder));
  if (!isObject(value)) return [value];
  const isByOwner = /s$/i.test(wordsOfName(holder).at(-1) ?? "");
  return Object.entries(value).flatMap(([field, inner]) => {
    if (!isByOwner && isPlainSetting(field, inner)) return [];
    return valuesBelow(inner, field);
  });
}

/** Returns whether a program that handles secrets is called so: `externalSecrets`, `secrets-store-csi`. */
function isProgram(name: string): boolean {
  return programs.test(wordsOfName(name).join(" "));
}

const programs =
  /^(?:external|sealed) secrets?(?: (?:operator|controller|webhook))?$|^secrets? (?:operator|controller|injector|reloader|replicator|store csi(?: driver)?)$/;

function secretsOfProgram(value: Json, holder = ""): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => secretsOfProgram(item, holder));
  if (!isObject(value)) {
    // Some call the owner of each secret by its name here, too: `externalSecrets: {stripe: …}`.
    return typeof value !== "string" || saysWhere(holder, value) ? [] : [value];
  }
  return Object.entries(value).flatMap(([field, inner]) => {
    if (isSecretField(value, field, "")) return secretsBelow(inner, field);
    if (saysNothing.has(field.toLowerCase())) return valuesBelow(inner, "");
    return secretsOfProgram(inner, field);
  });
}

/** Returns whether a value is plainly a setting, or words: a key or a password mixes in digits or capitals. */
function saysWhere(field: string, value: string): boolean {
  return isPlainSetting(field, value) || /^[a-z]+(?:[-./ ][a-z]+){0,8}$/.test(value);
}

/** Names that only say that there is a value. */
const saysNothing: ReadonlySet<string> = new Set([
  ...["value", "values", "data", "stringdata", "default", "text", "plain", "literal", "content"],
  ...["raw", "string", "base64", "current", "previous", "old", "new"],
]);
