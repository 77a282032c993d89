import { distance } from "fastest-levenshtein";
import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";

/**
 * What is treated like a Secret wherever something is shown. It is not what the API server would take for one: what it refuses
 * stands in a preview all the same, with the values that somebody has put into it.
 */
export function isSecretLike(object: JsonObject): boolean {
  if (isCalledSecret(object)) return !isReference(object);
  if (Object.keys(object).some((name) => readsAs(name, "stringdata"))) return true;
  return isSecretType(object.type) && isObject(object.data);
}

/** By its kind alone: a manifest of that kind is no reference to one, whatever it lacks. */
export function isCalledSecret({ kind }: JsonObject): boolean {
  return typeof kind === "string" && readsLikeSecret(kind);
}

/** Whether the value is such an object, has one within, or has a template for one. */
export function mayHoldSecrets(value: Json | undefined): boolean {
  return (isObject(value) && isCalledSecret(value)) || hasSecretLike(value, false);
}

function hasSecretLike(value: Json | undefined, refers: boolean): boolean {
  if (isList(value)) return value.some((item) => hasSecretLike(item, refers));
  if (!isObject(value)) return false;
  if (isSecretLike(value)) return true;
  const within = refers || refersToSecrets(value);
  return Object.entries(value).some(
    ([name, item]) => (within && fieldsOfTemplates.has(name)) || hasSecretLike(item, within),
  );
}

/** Where External Secrets and Vault's operator take values as they are, instead of saying where to find them. */
export const fieldsOfTemplates: ReadonlySet<string> = new Set([
  ...["fake", "literal", "template", "templates", "value"],
]);

/**
 * Whether a kind is that of a Secret, is written so that it reads like it, or is one of somebody's own that may hold what a
 * Secret holds. No kind of Kubernetes has other characters than visible ones of ASCII, so any that looks alike is among these.
 */
export function readsLikeSecret(kind: string): boolean {
  if (kindsThatRefer.has(kind)) return false;
  if (/[^\x21-\x7e]/.test(kind)) return true;
  const word = inLetters(kind);
  return word.includes("secret") || isMisspelt(word);
}

/** Kinds whose objects say where a secret is, or hold it encrypted. What their templates say is another matter. */
const kindsThatRefer: ReadonlySet<string> = new Set([
  ...["ExternalSecret", "ClusterExternalSecret", "PushSecret", "ClusterPushSecret"],
  ...["SecretStore", "ClusterSecretStore", "SecretProviderClass", "SealedSecret"],
  ...["VaultStaticSecret", "VaultDynamicSecret", "VaultPKISecret"],
]);

/** Whether an object of this kind has to do with Secrets, and so may hold values in its templates. */
export function refersToSecrets({ kind }: JsonObject): boolean {
  return typeof kind === "string" && kindsThatRefer.has(kind);
}

function isMisspelt(word: string): boolean {
  return ["secret", "secrets"].some(
    (right) =>
      Math.abs(word.length - right.length) <= 1 &&
      (distance(word, right) <= 1 || sortedLetters(word) === sortedLetters(right)),
  );
}

/** The same as comparing with `inLetters(text)`, which takes long for the many names that are letters already. */
function readsAs(text: string, word: string): boolean {
  if (!/^[a-z]+$/i.test(text)) return inLetters(text) === word;
  return text.length === word.length && text.toLowerCase() === word;
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

const digitsLikeLetters: ReadonlyMap<string, string> = new Map([
  ["5", "s"],
  ["$", "s"],
  ["3", "e"],
  ["7", "t"],
]);

function inLetters(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[5$37]/g, (digit) => digitsLikeLetters.get(digit) ?? "")
    .replaceAll(/[^a-z]/g, "");
}

/** The types that Kubernetes knows of Secrets. */
function isSecretType(type: Json | undefined): boolean {
  return (
    typeof type === "string" &&
    /^(opaque$|(bootstrap\.)?kubernetes\.io\/|helm\.sh\/release)/i.test(type.trim())
  );
}

/** An object that only names a Secret, as custom resources and the names of a CustomResourceDefinition do. */
function isReference(object: JsonObject): boolean {
  return Object.entries(object).every(
    ([name, value]) => wordsOfReferences.has(name) && !isObject(value),
  );
}

const wordsOfReferences: ReadonlySet<string> = new Set([
  ...["apiVersion", "group", "kind", "name", "namespace", "uid", "resourceVersion"],
  ...["key", "valuesKey", "targetPath", "fieldPath", "optional", "sectionName"],
  ...["plural", "singular", "listKind", "shortNames", "categories"],
]);
