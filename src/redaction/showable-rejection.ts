import { fieldPath } from "../model/fields/field-path.ts";
import { at, fieldOf, isObject, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { canContainSecrets } from "./sensitive-object.ts";

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

/** An API server rejection, in the parts that can quote the request. */
interface QuotingRejection {
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly QuotingCause[];
}

interface QuotingCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/**
 * Returns a rejection of `object` that can be shown. The API server quotes rejected values.
 * For a Secret, the result contains only the fields and a reason in fixed words. For any other
 * object, types replace dumped values.
 */
export function showableRejection<T extends QuotingRejection>(refusal: T, object: JsonObject): T {
  if (!canContainSecrets(object)) {
    const causes = refusal.causes.map((c) => ({ ...c, message: shortenMessage(c.message) }));
    return { ...refusal, message: shortenMessage(refusal.message), causes };
  }
  const causes = refusal.causes.map((cause) => ({
    ...cause,
    field: secretCauseField(cause, object),
    message: causeReason(cause),
  }));
  return { ...refusal, message: secretMessage(refusal, object), causes };
}

function shortenMessage(message: string): string {
  return sortErrors(shortenQuotedValues(replaceDumps(message)));
}

/**
 * Sorts the errors of several fields, because the API server lists them in a different order each
 * time.
 */
function sortErrors(message: string): string {
  return message.replace(/(?<=: errors:\n)(?: +\.[^\n]+(?:\n|$))+/, (lines) =>
    lines.trimEnd().split("\n").toSorted().join("\n"),
  );
}

/**
 * Replaces dumped values by their types: `got &value.valueUnstructured{Value:987654}` →
 * `got a number`. Go prints whole values there, over several lines.
 */
function replaceDumps(message: string): string {
  return message
    .replaceAll(
      /\bgot &?[\w.*]*\{(?:Value:)?(.*?)(?=\n[^\S\n]*\.\S+: expected|$)/gs,
      (_, dumped: string, at: number, whole: string) =>
        `got ${dumpedType(dumped, expectedType(whole, at))}`,
    )
    .replaceAll(/\bgot \[\]interface \{\}/g, "got a list")
    .replaceAll(/\bgot map\[string\]interface \{\}/g, "got an object");
}

/** Returns the expected type: `string` for `expected string, got …`. */
function expectedType(message: string, end: number): string {
  const word = "expected ";
  const start = message.lastIndexOf(word, end);
  return start < 0 ? "" : (/^\w+/.exec(message.slice(start + word.length, end))?.[0] ?? "");
}

/**
 * Returns the type of a dumped value. The API server prints quotation marks only where it expects a
 * string. In other messages, `5` and `true` can be strings too.
 */
function dumpedType(dumped: string, expected: string): string {
  if (dumped.startsWith("map[")) return "an object";
  if (dumped.startsWith("[")) return "a list";
  if (/^(<nil>|interface \{\}\(nil\))/.test(dumped)) return "nothing";
  if (expected === "string") return /^-?\d/.test(dumped) ? "a number" : "a boolean";
  if (expected !== "boolean") return "a single value";
  return /^-?\d/.test(dumped) ? "a string or a number" : "a string";
}

/**
 * Returns the field that a cause is about. The keys of a Secret's data are always shown. A path
 * below a key is part of its value.
 */
function secretCauseField({ field, reason }: QuotingCause, object: JsonObject): string {
  const [, part] = /^\.?(data|stringData)(?![\w-])/.exec(field) ?? [];
  if (part === undefined) return shownField(field, reason, object);
  const key = [...dataKeys(object), ...builtinTypeKeys].find((each) => mentionsKey(field, each));
  return key === undefined ? part : fieldPath([part, key]);
}

/** The keys that Secrets of the built-in types must have. */
const builtinTypeKeys: readonly string[] = [
  ...["tls.crt", "tls.key", ".dockerconfigjson", ".dockercfg", "ssh-privatekey"],
  ...["username", "password"],
];

/**
 * Returns a field if the manifest contains its name at the top level or in its metadata. The paths
 * in ownership conflicts are shown too, because they contain only names.
 */
function shownField(field: string, reason: string, object: JsonObject): string {
  if (reason === "FieldManagerConflict") return /^[\w.[\]/-]*$/.test(field) ? field : "";
  const [, first = "", second = ""] = /^\.?([\w-]+)(?:\.([\w-]+))?/.exec(field) ?? [];
  if (field === "<nil>" || first === "") return "";
  if (first !== "metadata") return Object.hasOwn(object, first) ? first : "";
  const exists = at(object, "metadata", second) !== undefined || second === "name";
  return exists ? `metadata.${second}` : "metadata";
}

function mentionsKey(text: string, key: string): boolean {
  return ["data", "stringData"].some((part) =>
    [`.${part}.${key}`, `${part}[${key}]`, `${part}["${key}"]`].some((path) =>
      `.${text}`.includes(path),
    ),
  );
}

function dataKeys(object: JsonObject): readonly string[] {
  const keys = [object.data, object.stringData].flatMap((part) =>
    isObject(part) ? Object.keys(part) : [],
  );
  // The longest key is first, because `data.a` is also the start of `data.ab`.
  return [...new Set(keys)].sort((a, b) => b.length - a.length);
}

const causeReasons: Readonly<Record<string, string>> = {
  FieldValueDuplicate: "the value is a duplicate",
  FieldValueForbidden: "the field can't be set or changed",
  FieldValueNotFound: "the object that it names doesn't exist",
  FieldValueNotSupported: "the value isn't supported",
  FieldValueRequired: "a value is required",
  FieldValueTooLong: "the value is too long",
  FieldValueTooMany: "there are too many values",
  FieldValueTypeInvalid: "the value has the wrong type",
};

function causeReason({ reason, message }: QuotingCause): string {
  if (reason === "FieldManagerConflict") return conflictSentence(message);
  if (/\bfield is immutable/.test(message)) return "field is immutable";
  return policySentence(message) ?? fieldOf(causeReasons, reason) ?? "the value is invalid";
}

/**
 * Returns the sentence with the name of the policy that denied the request. The message of the
 * policy is omitted, because it can quote the object.
 */
function policySentence(message: string): string | undefined {
  const [sentence] =
    /^ValidatingAdmissionPolicy '[\w.-]+' with binding '[\w.-]+' denied request/.exec(message) ??
    [];
  return sentence;
}

/**
 * Returns the sentence of a conflict, which names only field managers. The text after it is
 * omitted.
 */
function conflictSentence(message: string): string {
  const sentence =
    /^conflict with "[^"\n]*"(?: with subresource "\w*")?(?: using [\w./-]+)?(?: at [\w:.-]+)?/;
  return sentence.exec(message)?.[0] ?? "conflict with another field manager";
}

const reasons: Readonly<Record<string, string>> = {
  conflict: "it has changed in the meantime",
  expired: "something that it refers to has expired",
  forbidden: "it is forbidden",
  invalid: "it is invalid",
  "already-exists": "it exists already",
  "not-found": "an object that it needs doesn't exist",
  unauthorized: "the credentials aren't accepted",
  "unknown-kind": "its kind is unknown",
  unreachable: "there is no answer",
};

/**
 * Sentences that the API server builds from names alone. Only these are kept, and only at the start
 * of a message.
 */
const safeSentences: readonly RegExp[] = [
  /^(?:secrets "[^"\n]*" is forbidden: )?User "[^"\n]*" cannot \w+ resource "[\w./-]+" in API group "[\w.-]*"(?: in the namespace "[\w-]+"| at the cluster scope)?/,
  /^[a-z]+ "[\w.-]+" not found$/,
  /^admission webhook "[\w.-]+" (?:denied the request|does not support dry run)/,
  /^uid mismatch/,
];

/** Other faults of a Secret, described in fixed words. */
const faultPatterns: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/: expected [a-z ]+, got /, "a value has the wrong type"],
  [/illegal base64 data/, "a value isn't Base64"],
  [/metadata\.annotations: Too long|Request entity too large|must have at most/, "it is too long"],
];

function secretMessage({ reason, message }: QuotingRejection, object: JsonObject): string {
  const kept = safeSentences.map((words) => words.exec(message)?.[0]).find((m) => m !== undefined);
  const [, quota] =
    /^secrets "[^"\n]*" is forbidden: (exceeded quota: [\w.-]+)/.exec(message) ?? [];
  const fixedWords = faultPatterns.find(([pattern]) => pattern.test(message))?.[1];
  const words =
    kept ??
    quota ??
    undeclaredField(message, object) ??
    fixedWords ??
    fieldOf(reasons, reason) ??
    rejectedText;
  const keys = dataKeys(object).filter((key) => mentionsKey(message, key));
  return keys.length === 0
    ? words
    : `${words} (${keys.map((key) => fieldPath(["data", key])).join(", ")})`;
}

const rejectedText = "the API server rejected it";

/** Reports a misspelled field of the Secret itself. Its name is in the manifest already. */
function undeclaredField(message: string, object: JsonObject): string | undefined {
  const field = /\): \.(\w+): field not declared in schema/.exec(message)?.[1];
  const isOurs = field !== undefined && Object.hasOwn(object, field);
  return isOurs ? `${field}: field not declared in schema` : undefined;
}

/**
 * Shortens values that a rejection quotes. A value that Go printed becomes `{…}`, and so does long
 * JSON.
 * Servers before Kubernetes 1.34 print templates in Go syntax, with addresses such as
 * `(*int64)(0x1ca2)` that differ in each response.
 */
function shortenQuotedValues(message: string): string {
  let [rest, shown] = [message, ""];
  for (let found = quotedValue.exec(rest); found !== null; found = quotedValue.exec(rest)) {
    const [start, type = ""] = [found.index, found[1]];
    const open = start + type.length;
    const end = valueEnd(rest, open);
    const isShort = type === "" && end - open <= maxValueLength;
    shown += rest.slice(0, start);
    shown += isShort ? rest.slice(start, end) : `${rest[open]}…${rest[open] === "[" ? "]" : "}"}`;
    rest = rest.slice(end);
  }
  return shown + rest;
}

const maxValueLength = 200;

/**
 * Matches `core.PodTemplateSpec{`, `[]core.Volume{`, `map[string]string{`, or JSON without a type.
 */
const quotedValue =
  /(?<=(?:Invalid|Unsupported|Duplicate) value: )(&?(?:\[\])?\*?(?:map\[[\w.]+\])?[\w.*]*)(?:\{|(?<=: )\[)/;

/** Returns the end of the value whose bracket opens at `open`. Brackets in strings don't count. */
function valueEnd(text: string, open: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|`[^`]*`|[{}[\]]/gs;
  tokens.lastIndex = open;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (/^[{[]/.test(token[0])) depth++;
    else if (/^[}\]]/.test(token[0])) depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return text.length;
}
