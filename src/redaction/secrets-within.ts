import { isList, isObject, type Json } from "../model/json.ts";
import { isSecretField, looksSecret, readsLikeSecretValue } from "./looks-secret.ts";
import { isPlainSetting, wordsOfName } from "./plain-setting.ts";

/** Reports whether a named value can be or contain a secret. Without a value, the name decides. */
export function holdsSecret(name: string, value: Json | undefined): boolean {
  return value === undefined ? looksSecret(name) : secretsOf(name, value).length > 0;
}

/** Returns the parts of a named value that can be secrets. */
export function secretsOf(name: string, value: Json): readonly Json[] {
  return looksSecret(name) ? secretsBelow(value, name) : secretsWithin(value, name);
}

/**
 * Returns the parts of a value that can be secrets, by field name or by form. `holder` is the name
 * of the value.
 */
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
 * Returns the values below a sensitive name.
 * The exception is a program such as `externalSecrets`: its fields are settings, and each counts by
 * its own name. Below other names (`password: {value: …}`, `tokens: {alice: …}`), every value
 * counts that isn't clearly a setting.
 */
export function secretsBelow(value: Json, holder: string): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => secretsBelow(item, holder));
  const isOfProgram = isObject(value) && isProgram(holder);
  return isOfProgram ? secretsOfProgram(value) : valuesBelow(value, holder);
}

/**
 * Returns the values below a name. In `passwords: {…}`, the field names are owners and have no
 * other meaning.
 */
function valuesBelow(value: Json, holder: string): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => valuesBelow(item, holder));
  if (!isObject(value)) return [value];
  const isByOwner = /s$/i.test(wordsOfName(holder).at(-1) ?? "");
  return Object.entries(value).flatMap(([field, inner]) => {
    if (!isByOwner && isPlainSetting(field, inner)) return [];
    return valuesBelow(inner, field);
  });
}

/**
 * Reports whether the name is that of a program that handles secrets: `externalSecrets`,
 * `secrets-store-csi`.
 */
function isProgram(name: string): boolean {
  return programs.test(wordsOfName(name).join(" "));
}

const programs =
  /^(?:external|sealed) secrets?(?: (?:operator|controller|webhook))?$|^secrets? (?:operator|controller|injector|reloader|replicator|store csi(?: driver)?)$/;

function secretsOfProgram(value: Json, holder = ""): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => secretsOfProgram(item, holder));
  if (!isObject(value)) {
    // Some users put secrets here under the names of their owners, too:
    // `externalSecrets: {stripe: …}`.
    return typeof value !== "string" || saysWhere(holder, value) ? [] : [value];
  }
  return Object.entries(value).flatMap(([field, inner]) => {
    if (isSecretField(value, field, "")) return secretsBelow(inner, field);
    if (saysNothing.has(field.toLowerCase())) return valuesBelow(inner, "");
    return secretsOfProgram(inner, field);
  });
}

/**
 * Reports whether a value is clearly a setting, or consists of lowercase words. A key or a password
 * also has digits or capitals.
 */
function saysWhere(field: string, value: string): boolean {
  return isPlainSetting(field, value) || /^[a-z]+(?:[-./ ][a-z]+){0,8}$/.test(value);
}

/** Field names that describe only that there is a value. */
const saysNothing: ReadonlySet<string> = new Set([
  ...["value", "values", "data", "stringdata", "default", "text", "plain", "literal", "content"],
  ...["raw", "string", "base64", "current", "previous", "old", "new"],
]);
