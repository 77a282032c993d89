import { distance } from "fastest-levenshtein";
import { at, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import type { InputObject } from "../model/sources/config.ts";
import { isSensitiveField, isSensitiveName } from "./sensitive-name.ts";

/**
 * Reports whether outputs treat an object like a Secret.
 * The rule covers more than the kind of the API server. A preview also shows an object that the API
 * server would reject, with the values that a user put into it.
 */
export function isSensitiveObject(object: JsonObject): boolean {
  if (hasSecretKind(object)) return !isSecretReference(object);
  if (Object.keys(object).some(isStringData)) return true;
  return isSecretType(object.type) && isObject(object.data);
}

/**
 * Reports whether the kind is that of a Secret. A manifest with this kind is never a reference,
 * even if it is incomplete.
 */
export function hasSecretKind({ kind }: JsonObject): boolean {
  return typeof kind === "string" && isSensitiveKind(kind);
}

/** Reports whether a value is such an object, contains one, or has a template for one. */
export function canContainSecrets(value: Json | undefined): boolean {
  if (!isObject(value)) return containsSensitiveObject(value, false);
  return hasSecretKind(value) || containsSensitiveObject(withoutFieldManagers(value), false);
}

/** Returns an object without `managedFields`, which are large and contain names only. */
function withoutFieldManagers({ metadata, ...object }: JsonObject): JsonObject {
  if (!isObject(metadata)) return metadata === undefined ? object : { metadata, ...object };
  const { managedFields: _, ...rest } = metadata;
  return { metadata: rest, ...object };
}

function containsSensitiveObject(value: Json | undefined, refers: boolean): boolean {
  if (isList(value)) return value.some((item) => containsSensitiveObject(item, refers));
  if (!isObject(value)) return false;
  if (isSensitiveObject(value)) return true;
  const within = refers || refersToSecrets(value);
  return Object.entries(value).some(
    ([name, item]) => (within && templateFields.has(name)) || containsSensitiveObject(item, within),
  );
}

/** Fields in which External Secrets and the Vault operator accept values instead of references. */
export const templateFields: ReadonlySet<string> = new Set([
  ...["fake", "literal", "template", "templates", "value"],
]);

/**
 * Reports whether a kind is that of a Secret, looks like it, or is a custom kind that can contain
 * secrets.
 * Kinds of Kubernetes contain only visible ASCII characters. A kind with any other character can be
 * a lookalike and counts too.
 */
export function isSensitiveKind(kind: string): boolean {
  if (referringKinds.has(kind)) return false;
  if (/[^\x21-\x7e]/.test(kind)) return true;
  const word = toLetters(kind);
  return word.includes("secret") || isMisspelledSecret(word);
}

/**
 * Kinds whose objects refer to a secret or contain it encrypted. Their templates can still contain
 * values.
 */
const referringKinds: ReadonlySet<string> = new Set([
  ...["ExternalSecret", "ClusterExternalSecret", "PushSecret", "ClusterPushSecret"],
  ...["SecretStore", "ClusterSecretStore", "SecretProviderClass", "SealedSecret"],
  ...["VaultStaticSecret", "VaultDynamicSecret", "VaultPKISecret"],
]);

/**
 * Reports whether an object of this kind refers to Secrets. Its templates can then contain values.
 */
export function refersToSecrets({ kind }: JsonObject): boolean {
  return typeof kind === "string" && referringKinds.has(kind);
}

function isMisspelledSecret(word: string): boolean {
  return ["secret", "secrets"].some(
    (right) =>
      Math.abs(word.length - right.length) <= 1 &&
      (distance(word, right) <= 1 || sortedLetters(word) === sortedLetters(right)),
  );
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

const lookalikeDigits: ReadonlyMap<string, string> = new Map([
  ["5", "s"],
  ["$", "s"],
  ["3", "e"],
  ["7", "t"],
]);

/** Reports whether a reader sees the name `stringData`. Most names are too short for it. */
function isStringData(name: string): boolean {
  return !/^[ -~]{0,9}$/.test(name) && toLetters(name) === "stringdata";
}

/** Returns the letters that a reader sees. Most texts have only these, and the rest is slow. */
function toLetters(text: string): string {
  if (/^[a-z]+$/i.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[5$37]/g, (digit) => lookalikeDigits.get(digit) ?? "")
    .replaceAll(/[^a-z]/g, "");
}

/** Reports whether a string is a type that Kubernetes knows for Secrets. */
function isSecretType(type: Json | undefined): boolean {
  return (
    typeof type === "string" &&
    /^(opaque$|(bootstrap\.)?kubernetes\.io\/|helm\.sh\/release)/i.test(type.trim())
  );
}

/**
 * Reports whether an object only names a Secret, as in custom resources and in the names of a
 * CustomResourceDefinition.
 */
function isSecretReference(object: JsonObject): boolean {
  return Object.entries(object).every(
    ([name, value]) => referenceFields.has(name) && !isObject(value),
  );
}

const referenceFields: ReadonlySet<string> = new Set([
  ...["apiVersion", "group", "kind", "name", "namespace", "uid", "resourceVersion"],
  ...["key", "valuesKey", "targetPath", "fieldPath", "optional", "sectionName"],
  ...["plural", "singular", "listKind", "shortNames", "categories"],
]);

/** Returns the parameters in a field with a sensitive name, or in a Secret. */
export function secretSources({ object, places }: InputObject): readonly string[] {
  // Most parts of a rendered object have no parameter.
  const written = places.filter(({ from = [] }) => from.length > 0);
  const isSecret = written.length > 0 && isSensitiveObject(object);
  return written
    .filter(({ path }) => isSecret || path.some(isSensitiveName) || isSensitiveAt(object, path))
    .flatMap(({ from = [] }) => from);
}

/** Reports whether the fields next to a value say that it is a secret, as in a list of `env`. */
function isSensitiveAt(object: JsonObject, path: readonly string[]): boolean {
  const holder = path.slice(0, -1).reduce<Json | undefined>(stepInto, object);
  return isObject(holder) && isSensitiveField(holder, path.at(-1) ?? "", path.at(-2) ?? "");
}

function stepInto(value: Json | undefined, step: string): Json | undefined {
  return isList(value) ? value[Number(step)] : at(value, step);
}
