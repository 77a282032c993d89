import { fieldOf, isList, isObject, type Json, type JsonObject } from "../json.ts";
import { isCoreObject } from "../kinds.ts";
import { fromBase64, toBase64 } from "../text/base64.ts";
import { escapeReferences } from "../text/reference-text.ts";

/** A path in an object: fields by name, list items by index. */
export type ValuePath = readonly (string | number)[];

/**
 * A string of an object that qvs assembles from fields of other objects when it applies the object
 * (docs/reference/adapters.md#references).
 */
export interface ApplyTimeReference {
  /** The place of the string in the object. */
  readonly path: ValuePath;
  readonly pieces: readonly (string | LiveReference)[];
  /** True if the API server expects Base64 at this place. */
  readonly base64: boolean;
  /**
   * The key of an object whose value isn't known yet. Until it is known, `knownAfterDeploy` stands
   * in its place.
   */
  readonly awaits: string | undefined;
  /** The values of Secrets in the string. qvs never shows them. */
  readonly secretValues: SecretValues;
}

/** The values of Secrets, by their source. */
export interface SecretValues {
  readonly declared: readonly string[];
  /**
   * The values in live Secrets of this deployment. A preview must not reveal that a string of the
   * manifest equals one of them.
   */
  readonly live: readonly string[];
}

/** A reference to a field of another object of the deployment. */
export interface LiveReference {
  /** The key of that object. */
  readonly on: string;
  readonly path: ValuePath;
  /** The resource id with all its groups, then the path: `web.status.ip`. */
  readonly text: string;
  /**
   * The value in the manifest of that object. Undefined if only the cluster sets the value; qvs
   * then reads it when needed.
   */
  readonly declared?: Json | undefined;
  /** True if the value belongs to a Secret. */
  readonly secret: boolean;
}

export const knownAfterDeploy = "(known after deploy)";

/** Reports whether a value is known only after the deployment. */
export function isKnownAfterDeploy(value: Json | undefined): boolean {
  return typeof value === "string" && value.includes(knownAfterDeploy);
}

/** Reports whether a value, or any value in it, is known only after the deployment. */
export function containsKnownAfterDeploy(value: Json): boolean {
  const isWhole = typeof value === "object" && value !== null;
  return isWhole ? Object.values(value).some(containsKnownAfterDeploy) : isKnownAfterDeploy(value);
}

/**
 * Reports whether a reference puts a Secret's value into the object. The data of a Secret itself
 * doesn't count.
 */
export function referencesSecret(late: readonly AssembledText[] | undefined): boolean {
  return (late ?? []).some(({ pieces }) => selectReferences(pieces).some(({ secret }) => secret));
}

interface AssembledText {
  readonly pieces: readonly (string | { readonly secret: boolean })[];
}

/**
 * A field in `ignore-changes` that can contain a Secret's live value. qvs keeps the live value and
 * doesn't resolve the references that the manifest declares there.
 */
export interface IgnoredSecretField {
  /** The path in the manifest. The items of a live list can have another order. */
  readonly path: ValuePath;
  /** The values of Secrets in the field, as in `ApplyTimeReference`. */
  readonly secretValues: SecretValues;
}

/**
 * The places where an object contains values of Secrets. The data of a Secret itself doesn't count.
 */
export interface EmbeddedSecrets {
  readonly applyTimeReferences?: readonly ApplyTimeReference[] | undefined;
  readonly ignoredSecretFields?: readonly IgnoredSecretField[] | undefined;
  /** Strings of the live object that references of earlier releases copied from Secrets. */
  readonly previousSecretValues?: readonly string[] | undefined;
  /**
   * All strings that the manifest itself contains: its author knows them. Set if one of the other
   * fields has entries.
   */
  readonly manifestStrings?: ReadonlySet<string> | undefined;
}

/**
 * Returns a test that reports whether a value contains a Secret's value, so that qvs must hide it.
 * The value comes from the manifest or from the API server's version of the manifest.
 */
export function secretMatcher({
  applyTimeReferences = [],
  ignoredSecretFields = [],
  previousSecretValues = [],
  manifestStrings,
}: EmbeddedSecrets): (value: Json) => boolean {
  const all = [...applyTimeReferences, ...ignoredSecretFields].map(
    ({ secretValues }) => secretValues,
  );
  const declared = all.flatMap((secretValues) => secretValues.declared);
  const live = [...all.flatMap((secretValues) => secretValues.live), ...previousSecretValues];
  return (value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return (
      containsSecret(declared, value) ||
      (!manifestStrings?.has(text) && containsSecret(live, value))
    );
  };
}

/**
 * Returns the object with the kind `Secret` if it contains values of Secrets. Messages then treat
 * it like a Secret.
 */
export function withSecretKind<T extends JsonObject>(
  object: T,
  { applyTimeReferences, ignoredSecretFields = [], previousSecretValues = [] }: EmbeddedSecrets,
): T {
  const isHolder =
    referencesSecret(applyTimeReferences) ||
    ignoredSecretFields.length + previousSecretValues.length > 0;
  return isHolder ? { ...object, kind: "Secret" } : object;
}

/**
 * The minimum length of a secret that is found within longer strings. A shorter one would hide half
 * of the object.
 */
const minSecretLength = 4;

/** Reports whether a scalar contains one of the secrets. False for lists and objects. */
export function containsSecret(secrets: readonly string[], value: Json): boolean {
  if (isList(value) || isObject(value) || value === null) return false;
  const text = String(value);
  return secrets.some(
    (each) => text === each || (each.length >= minSecretLength && text.includes(each)),
  );
}

export function selectReferences<T>(pieces: readonly (string | T)[]): readonly T[] {
  return pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece]));
}

/**
 * Returns the pieces as one value, or undefined while a reference has no value. A single reference
 * keeps the type of its value.
 */
export function assemblePieces(
  { pieces, base64 }: Pick<ApplyTimeReference, "pieces" | "base64">,
  lookUp: (reference: LiveReference) => Json | undefined,
): Json | undefined {
  const values = pieces.map((piece) => (typeof piece === "string" ? piece : lookUp(piece)));
  const [first] = values;
  if (values.includes(undefined)) return undefined;
  if (values.length === 1 && !base64) return first;
  const text = values.map((value) => embeddableText(value ?? "")).join("");
  return base64 ? toBase64(text) : text;
}

/** Returns the string as the manifest contains it: `http://$(ref.web.status.ip)/`. */
export function writtenText(pieces: readonly (string | { readonly text: string })[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? escapeReferences(piece) : `$(ref.${piece.text})`))
    .join("");
}

/**
 * Returns the live value at `path`. Null and the empty string count as undefined, because
 * controllers start with them.
 */
export function readLiveValue(object: Json | undefined, path: ValuePath): Json | undefined {
  const value = valueAt(object, path) ?? readStringData(object, path);
  return value === null || value === "" ? undefined : value;
}

/** Reads a string of `stringData` from `data`, because the API server stores it only there. */
function readStringData(object: Json | undefined, [part, ...key]: ValuePath): Json | undefined {
  if (part !== "stringData" || !isObject(object) || !isCoreObject(object, "Secret"))
    return undefined;
  const bytes = valueAt(object, ["data", ...key]);
  return typeof bytes === "string" ? fromBase64(bytes) : undefined;
}

export function valueAt(object: Json | undefined, path: ValuePath): Json | undefined {
  let current = object;
  for (const step of path) {
    if (typeof step === "number") current = isList(current) ? current[step] : undefined;
    else current = isObject(current) ? fieldOf(current, step) : undefined;
  }
  return current;
}

/** Returns a copy of `whole` with another value at `path`, which must exist. */
export function setValue<T extends Json>(whole: T, path: ValuePath, value: Json): T {
  const [step, ...rest] = path;
  if (step === undefined) return value as T;
  const inner = setValue(valueAt(whole, [step]) ?? null, rest, value);
  if (isList(whole)) return whole.map((item, i) => (i === step ? inner : item)) as Json as T;
  return { ...(whole as object), [step]: inner } as Json as T;
}

/** Returns all strings, numbers and booleans within a value, as strings. */
export function scalarTexts(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(scalarTexts);
  if (isObject(value)) return Object.values(value).flatMap(scalarTexts);
  return value === null ? [] : [String(value)];
}

/** Returns a value as a part of a string. qvs rejects references to lists and objects there. */
function embeddableText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
