import { isList, isObject, type Json } from "../model/json.ts";
import {
  isCommonWord,
  isLikelySecretValue,
  isPlainSetting,
  isSensitiveField,
  isSensitiveName,
  splitNameWords,
} from "./sensitive-name.ts";

/** Reports whether a named value can be or contain a secret. Without a value, the name decides. */
export function isSensitiveValue(name: string, value: Json | undefined): boolean {
  return value === undefined ? isSensitiveName(name) : sensitiveValues(name, value).length > 0;
}

/** Returns the parts of a named value that can be secrets. */
export function sensitiveValues(name: string, value: Json): readonly Json[] {
  return isSensitiveName(name)
    ? valuesUnderSensitiveName(value, name)
    : findSensitiveValues(value, name);
}

/**
 * Returns the parts of a value that can be secrets, by field name or by form. `holder` is the name
 * of the value.
 */
function findSensitiveValues(value: Json, holder = ""): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => findSensitiveValues(item, holder));
  if (!isObject(value)) {
    if (typeof value !== "string") return [];
    return isLikelySecretValue(value) ? [value] : assignedSecrets(value);
  }
  return Object.entries(value).flatMap(([field, inner]) =>
    isSensitiveField(value, field, holder)
      ? valuesUnderSensitiveName(inner, field)
      : findSensitiveValues(inner, field),
  );
}

/**
 * Returns the strings of an object that can be secrets and aren't known, by the name of their own
 * field or by their form. Unlike in parameters, names further up don't count: in
 * `secret: {secretName: db}`, they say where a secret is.
 */
export function objectSecrets(
  value: Json,
  known: ReadonlySet<string>,
  holder = "",
): readonly string[] {
  if (isList(value)) return value.flatMap((item) => objectSecrets(item, known, holder));
  // The search in a text is slow, and most texts are known.
  if (typeof value === "string")
    return !known.has(value) && findSensitiveValues(value).length > 0 ? [value] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    if (typeof inner !== "string") return objectSecrets(inner, known, field);
    if (inner === "" || known.has(inner)) return [];
    const isHarmless = isCommonWord(inner) || isPlainSetting(field, inner);
    const isNamed = !isHarmless && isSensitiveField(value, field, holder);
    return isNamed ? [inner] : objectSecrets(inner, known, field);
  });
}

/**
 * Returns the values below a sensitive name.
 * The exception is a program such as `externalSecrets`: its fields are settings, and each counts by
 * its own name. Below other names (`password: {value: …}`, `tokens: {alice: …}`), every value
 * counts that isn't clearly a setting.
 */
export function valuesUnderSensitiveName(value: Json, holder: string): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => valuesUnderSensitiveName(item, holder));
  const isProgramSetting = isObject(value) && isSecretProgram(holder);
  return isProgramSetting ? programSecrets(value) : nestedValues(value, holder);
}

/**
 * Returns the values below a name. In `passwords: {…}`, the field names are owners and have no
 * other meaning.
 */
function nestedValues(value: Json, holder: string): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => nestedValues(item, holder));
  if (!isObject(value)) return [value];
  const isByOwner = /s$/i.test(splitNameWords(holder).at(-1) ?? "");
  return Object.entries(value).flatMap(([field, inner]) => {
    if (!isByOwner && isPlainSetting(field, inner)) return [];
    return nestedValues(inner, field);
  });
}

/**
 * Reports whether the name is that of a program that handles secrets: `externalSecrets`,
 * `secrets-store-csi`.
 */
function isSecretProgram(name: string): boolean {
  return programs.test(splitNameWords(name).join(" "));
}

const programs =
  /^(?:external|sealed) secrets?(?: (?:operator|controller|webhook))?$|^secrets? (?:operator|controller|injector|reloader|replicator|store csi(?: driver)?)$/;

function programSecrets(value: Json, holder = ""): readonly Json[] {
  if (isList(value)) return value.flatMap((item) => programSecrets(item, holder));
  if (!isObject(value)) {
    // Some users put secrets here under the names of their owners, too:
    // `externalSecrets: {stripe: …}`.
    return typeof value !== "string" || isSettingValue(holder, value) ? [] : [value];
  }
  return Object.entries(value).flatMap(([field, inner]) => {
    if (isSensitiveField(value, field, "")) return valuesUnderSensitiveName(inner, field);
    if (genericFields.has(field.toLowerCase())) return nestedValues(inner, "");
    return programSecrets(inner, field);
  });
}

/**
 * Reports whether a value is clearly a setting, or consists of lowercase words. A key or a password
 * also has digits or capitals.
 */
function isSettingValue(field: string, value: string): boolean {
  return isPlainSetting(field, value) || /^[a-z]+(?:[-./ ][a-z]+){0,8}$/.test(value);
}

/** Field names that describe only that there is a value. */
const genericFields: ReadonlySet<string> = new Set([
  ...["value", "values", "data", "stringdata", "default", "text", "plain", "literal", "content"],
  ...["raw", "string", "base64", "current", "previous", "old", "new"],
]);

/**
 * Returns the secrets that a text assigns to names, as files in JSON and YAML and files of
 * environment variables do: `"password": "…"`, `token: …`, `DB_PASSWORD=…`. References such as
 * `$NAME` aren't secrets.
 */
function assignedSecrets(text: string): readonly string[] {
  const isDockerConfig = /"auths"\s{0,9}:/.test(text);
  return [...text.matchAll(assignment)].flatMap(([, name = "", ...quoted]) => {
    const value = quoted.find((each) => each !== undefined) ?? "";
    const isSecret = name === "auth" ? isDockerConfig : isSecretOf(name, value);
    return isSecret ? [...new Set([value, withoutEscapes(value)])] : [];
  });
}

/** A name, `:` or `=`, and the beginning of a value of at least four characters. */
const assignment =
  /(?<![\w.-])([\w.-]{1,100})["']?[ \t]{0,9}[:=][ \t]{0,9}(?:"((?:[^"\\\n]|\\.){4,200})|'([^'\n]{4,200})|([^\s"'{[(<>|*&,;][^\s"',;]{3,199}))/g;

/** Returns a string of JSON without its quotation marks as the program reads it. */
function withoutEscapes(quoted: string): string {
  if (!quoted.includes("\\")) return quoted;
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return quoted;
  }
}

function isSecretOf(name: string, value: string): boolean {
  if (!secretNames.test(name) || !isSensitiveName(name)) return false;
  if (/token/i.test(name) && /^\d+$/.test(value)) return false;
  return !(notSecret.test(value) || isCommonWord(value) || isPlainSetting(name, value));
}

/**
 * Names of secrets in any text. `isSensitiveName` also matches names such as `key`, which mean
 * something else in many files.
 */
const secretNames =
  /passw|passphrase|secret|token|credential|api[-_]?key|(?:private|access|account|master|sign(?:ing)?|encryption)[-_.]?key|pwd$|(?:^|[-_.])pass$/i;

/** References to a variable or a template, and addresses. Passwords in addresses have a rule. */
const notSecret = /^(?:\$|%|\{\{|<|https?:\/\/)/;
