import { fieldOf, isList, isObject, type Json, type JsonObject } from "./json.ts";
import { fromBase64, toBase64 } from "./text/base64.ts";
import { escapeReferences } from "./text/reference-text.ts";

/** Fields by name, list items by index. */
export type Steps = readonly (string | number)[];

/**
 * A text of an object that is put together from fields of other objects when the object is applied
 * (docs/reference/adapters.md#references).
 */
export interface ApplyTimeReference {
  /** Where it stands in the object. */
  readonly path: Steps;
  readonly pieces: readonly (string | LiveReference)[];
  /** The server wants Base64 there. */
  readonly base64: boolean;
  /** Key of an object whose value only the deployment will bring: `knownLater` stands in its place until then. */
  readonly awaits: string | undefined;
  /** Values of Secrets in it: none of them may be shown. */
  readonly hides: SecretTexts;
}

/** Values of Secrets, by where they are known from. */
export interface SecretTexts {
  readonly declared: readonly string[];
  /** Only from Secrets of ours. Nobody may learn from a preview that a text of the manifest is one of these. */
  readonly live: readonly string[];
}

/** A field of another object of the deployment. */
export interface LiveReference {
  /** Key of that object. */
  readonly on: string;
  readonly path: Steps;
  /** `web.status.ip`: the resource id with all its groups, and the path. */
  readonly text: string;
  /** What its manifest says; undefined for what only the cluster makes, which is read when it is needed. */
  readonly declared?: Json | undefined;
  /** The value belongs to a Secret. */
  readonly secret: boolean;
}

export const knownLater = "(known after deploy)";

/** Whether a value is known only then. */
export function isKnownLater(value: Json | undefined): boolean {
  return typeof value === "string" && value.includes(knownLater);
}

/** The same of anything within it, too. */
export function holdsKnownLater(value: Json): boolean {
  const isWhole = typeof value === "object" && value !== null;
  return isWhole ? Object.values(value).some(holdsKnownLater) : isKnownLater(value);
}

/** Whether a Secret's value goes into the object, besides those that a Secret shows by its kind. */
export function holdsSecrets(late: readonly TextOfPieces[] | undefined): boolean {
  return (late ?? []).some(({ pieces }) => referencesAmong(pieces).some(({ secret }) => secret));
}

interface TextOfPieces {
  readonly pieces: readonly (string | { readonly secret: boolean })[];
}

/**
 * Where a Secret's value may be live although none is put there: what is ignored stays as it is, and what is declared there is
 * not resolved.
 */
export interface IgnoredSecretField {
  /** In the manifest; a live list may have its items in another order. */
  readonly path: Steps;
  /** As in `ApplyTimeReference`. */
  readonly hides: SecretTexts;
}

/** What tells where an object holds values of Secrets, besides those that a Secret shows by its kind. */
export interface SecretHolder {
  readonly late?: readonly ApplyTimeReference[] | undefined;
  readonly ignoredSecretFields?: readonly IgnoredSecretField[] | undefined;
  /** Texts of the live object that references of earlier releases put there. */
  readonly previousSecretValues?: readonly string[] | undefined;
  /** Set where any of these is: all texts that the manifest itself says, which are no secret to whoever wrote it. */
  readonly written?: ReadonlySet<string> | undefined;
}

/** Whether a value of a manifest, or of what the server makes of it, holds a Secret's value and so is not shown. */
export function hidesIn({
  late = [],
  ignoredSecretFields = [],
  previousSecretValues = [],
  written,
}: SecretHolder): (value: Json) => boolean {
  const all = [...late, ...ignoredSecretFields].map(({ hides }) => hides);
  const declared = all.flatMap((hides) => hides.declared);
  const live = [...all.flatMap((hides) => hides.live), ...previousSecretValues];
  return (value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return holdsOneOf(declared, value) || (!written?.has(text) && holdsOneOf(live, value));
  };
}

/** How an object is spoken of: what holds values of Secrets like a Secret. */
export function spokenOfAs<T extends JsonObject>(
  object: T,
  { late, ignoredSecretFields = [], previousSecretValues = [] }: SecretHolder,
): T {
  const isHolder =
    holdsSecrets(late) || ignoredSecretFields.length + previousSecretValues.length > 0;
  return isHolder ? { ...object, kind: "Secret" } : object;
}

/** A short value would hide half of the object if it counted within other texts too. */
const shortest = 4;

/** Whether a value that may not be shown is in this one; lists and maps hold none themselves. */
export function holdsOneOf(secrets: readonly string[], value: Json): boolean {
  if (isList(value) || isObject(value) || value === null) return false;
  const text = String(value);
  return secrets.some((each) => text === each || (each.length >= shortest && text.includes(each)));
}

export function referencesAmong<T>(pieces: readonly (string | T)[]): readonly T[] {
  return pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece]));
}

/** The pieces as one value: alone, a reference keeps the type of its value. undefined while one has none. */
export function assemble(
  { pieces, base64 }: Pick<ApplyTimeReference, "pieces" | "base64">,
  lookUp: (reference: LiveReference) => Json | undefined,
): Json | undefined {
  const values = pieces.map((piece) => (typeof piece === "string" ? piece : lookUp(piece)));
  const [first] = values;
  if (values.includes(undefined)) return undefined;
  if (values.length === 1 && !base64) return first;
  const text = values.map((value) => textOf(value ?? "")).join("");
  return base64 ? toBase64(text) : text;
}

/** The text as a reader of the manifest knows it: `http://$(ref.web.status.ip)/`. */
export function writtenText(pieces: readonly (string | { readonly text: string })[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? escapeReferences(piece) : `$(ref.${piece.text})`))
    .join("");
}

/** What an object holds at `path`; undefined also for what is empty, since controllers begin with that. */
export function liveValueAt(object: Json | undefined, path: Steps): Json | undefined {
  const value = valueAt(object, path) ?? textOfSecret(object, path);
  return value === null || value === "" ? undefined : value;
}

/** The server keeps the texts of `stringData` with the data only. */
function textOfSecret(object: Json | undefined, [part, ...key]: Steps): Json | undefined {
  if (part !== "stringData" || !isObject(object) || object.kind !== "Secret") return undefined;
  const bytes = valueAt(object, ["data", ...key]);
  return typeof bytes === "string" ? fromBase64(bytes) : undefined;
}

export function valueAt(object: Json | undefined, path: Steps): Json | undefined {
  let current = object;
  for (const step of path) {
    if (typeof step === "number") current = isList(current) ? current[step] : undefined;
    else current = isObject(current) ? fieldOf(current, step) : undefined;
  }
  return current;
}

/** The same with another value at `path`, which must be there. */
export function withValueAt<T extends Json>(whole: T, path: Steps, value: Json): T {
  const [step, ...rest] = path;
  if (step === undefined) return value as T;
  const inner = withValueAt(valueAt(whole, [step]) ?? null, rest, value);
  if (isList(whole)) return whole.map((item, i) => (i === step ? inner : item)) as Json as T;
  return { ...(whole as object), [step]: inner } as Json as T;
}

/** All texts, numbers and truth values within a value, as text. */
export function leavesOf(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(leavesOf);
  if (isObject(value)) return Object.values(value).flatMap(leavesOf);
  return value === null ? [] : [String(value)];
}

/** A value within a text; whoever reads references refuses lists and maps there. */
function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
