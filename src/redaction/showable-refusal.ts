import { fieldPath } from "../model/fields/field-path.ts";
import { at, fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { mayHoldSecrets } from "./secret-like.ts";
import { withoutLongValues } from "./without-go-values.ts";

/** A refusal in the words of the API server, as far as they can quote what was sent. */
interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly Cause[];
}

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/**
 * A refusal of `object` as it may be shown. The server quotes the values that it refuses: for a Secret, none of its free text
 * is kept, only which fields it is about and a reason in fixed words. For anything else, dumped values become their type.
 */
export function showableRefusal<T extends Refusal>(refusal: T, object: JsonObject): T {
  if (!mayHoldSecrets(object)) {
    const causes = refusal.causes.map((c) => ({ ...c, message: readable(c.message) }));
    return { ...refusal, message: readable(refusal.message), causes };
  }
  const causes = refusal.causes.map((cause) => ({
    ...cause,
    field: fieldOfSecret(cause, object),
    message: reasonOfCause(cause),
  }));
  return { ...refusal, message: messageOnSecret(refusal, object), causes };
}

function readable(message: string): string {
  return withErrorsInOrder(withoutLongValues(withoutDumps(message)));
}

/** The server tells several fields in another order each time. */
function withErrorsInOrder(message: string): string {
  return message.replace(/(?<=: errors:\n)(?: +\.[^\n]+(?:\n|$))+/, (lines) =>
    lines.trimEnd().split("\n").toSorted().join("\n"),
  );
}

/** `got &value.valueUnstructured{Value:987654}` → `got a number`: Go prints whole values there, over several lines. */
function withoutDumps(message: string): string {
  return message
    .replaceAll(
      /\bgot &?[\w.*]*\{(?:Value:)?(.*?)(?=\n[^\S\n]*\.\S+: expected|$)/gs,
      (_, dumped: string, at: number, whole: string) =>
        `got ${typeOfDumped(dumped, expectedBefore(whole, at))}`,
    )
    .replaceAll(/\bgot \[\]interface \{\}/g, "got a list")
    .replaceAll(/\bgot map\[string\]interface \{\}/g, "got a map");
}

/** `string` of `expected string, got …`. */
function expectedBefore(message: string, end: number): string {
  const word = "expected ";
  const start = message.lastIndexOf(word, end);
  return start < 0 ? "" : (/^\w+/.exec(message.slice(start + word.length, end))?.[0] ?? "");
}

/** Only where text is expected quotation marks are printed: elsewhere `5` and `true` may be text as well. */
function typeOfDumped(dumped: string, expected: string): string {
  if (dumped.startsWith("map[")) return "a map";
  if (dumped.startsWith("[")) return "a list";
  if (/^(<nil>|interface \{\}\(nil\))/.test(dumped)) return "nothing";
  if (expected === "string") return /^-?\d/.test(dumped) ? "a number" : "true or false";
  if (expected !== "boolean") return "a single value";
  return /^-?\d/.test(dumped) ? "text or a number" : "text";
}

/** Keys of a Secret's data are shown everywhere; what is below one of them is part of its value. */
function fieldOfSecret({ field, reason }: Cause, object: JsonObject): string {
  const [, part] = /^\.?(data|stringData)(?![\w-])/.exec(field) ?? [];
  if (part === undefined) return fieldAround(field, reason, object);
  const key = [...keysOf(object), ...keysOfTypes].find((each) => isAbout(field, each));
  return key === undefined ? part : fieldPath([part, key]);
}

/** What Secrets of the built-in types must have. */
const keysOfTypes: readonly string[] = [
  ...["tls.crt", "tls.key", ".dockerconfigjson", ".dockercfg", "ssh-privatekey"],
  ...["username", "password"],
];

/** Names that the manifest has at its top and in its metadata; an owner is told of what others own, which are names too. */
function fieldAround(field: string, reason: string, object: JsonObject): string {
  if (reason === "FieldManagerConflict") return /^[\w.[\]/-]*$/.test(field) ? field : "";
  const [, first = "", second = ""] = /^\.?([\w-]+)(?:\.([\w-]+))?/.exec(field) ?? [];
  if (field === "<nil>" || first === "") return "";
  if (first !== "metadata") return Object.hasOwn(object, first) ? first : "";
  const isThere = at(object, "metadata", second) !== undefined || second === "name";
  return isThere ? `metadata.${second}` : "metadata";
}

function isAbout(text: string, key: string): boolean {
  return ["data", "stringData"].some((part) =>
    [`.${part}.${key}`, `${part}[${key}]`, `${part}["${key}"]`].some((path) =>
      `.${text}`.includes(path),
    ),
  );
}

function keysOf(object: JsonObject): readonly string[] {
  const keys = [object.data, object.stringData].flatMap((part) =>
    isObject(part) ? Object.keys(part) : [],
  );
  // The longest first: `data.a` is also the beginning of `data.ab`.
  return [...new Set(keys)].sort((a, b) => b.length - a.length);
}

const reasonsOfCauses: Readonly<Record<string, string>> = {
  FieldValueDuplicate: "the value is there twice",
  FieldValueForbidden: "it may not be set or changed",
  FieldValueNotFound: "what it names does not exist",
  FieldValueNotSupported: "the value is none of the supported ones",
  FieldValueRequired: "a value is required",
  FieldValueTooLong: "the value is too long",
  FieldValueTooMany: "there are too many values",
  FieldValueTypeInvalid: "the value has the wrong type",
};

function reasonOfCause({ reason, message }: Cause): string {
  if (reason === "FieldManagerConflict") return ownerIn(message);
  if (/\bfield is immutable/.test(message)) return "field is immutable";
  return policyIn(message) ?? fieldOf(reasonsOfCauses, reason) ?? "the value is invalid";
}

/** Which policy refused it is told, its own words are not: they may quote the object. */
function policyIn(message: string): string | undefined {
  const [sentence] =
    /^ValidatingAdmissionPolicy '[\w.-]+' with binding '[\w.-]+' denied request/.exec(message) ??
    [];
  return sentence;
}

/** The conflict's sentence names managers only, so it may stay; whatever follows it may not. */
function ownerIn(message: string): string {
  const sentence =
    /^conflict with "[^"\n]*"(?: with subresource "\w*")?(?: using [\w./-]+)?(?: at [\w:.-]+)?/;
  return sentence.exec(message)?.[0] ?? "conflict with another field manager";
}

const reasons: Readonly<Record<string, string>> = {
  conflict: "it was changed meanwhile",
  expired: "what it refers to has expired",
  forbidden: "it is forbidden",
  invalid: "it is invalid",
  "already-exists": "it exists already",
  "not-found": "something that it needs does not exist",
  unauthorized: "the credentials are not accepted",
  "unknown-kind": "its kind is not known",
  unreachable: "there is no answer",
};

/** Sentences that the server makes from names alone; only these are kept, and only from their beginning. */
const valueless: readonly RegExp[] = [
  /^(?:secrets "[^"\n]*" is forbidden: )?User "[^"\n]*" cannot \w+ resource "[\w./-]+" in API group "[\w.-]*"(?: in the namespace "[\w-]+"| at the cluster scope)?/,
  /^[a-z]+ "[\w.-]+" not found$/,
  /^admission webhook "[\w.-]+" (?:denied the request|does not support dry run)/,
  /^uid mismatch/,
];

/** What else the server finds wrong with a Secret, in words of ours. */
const patterns: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/: expected [a-z ]+, got /, "a value has the wrong type"],
  [/illegal base64 data/, "a value is not Base64"],
  [/metadata\.annotations: Too long|Request entity too large|must have at most/, "it is too long"],
];

function messageOnSecret({ reason, message }: Refusal, object: JsonObject): string {
  const kept = valueless.map((words) => words.exec(message)?.[0]).find((m) => m !== undefined);
  const [, quota] =
    /^secrets "[^"\n]*" is forbidden: (exceeded quota: [\w.-]+)/.exec(message) ?? [];
  const told = patterns.find(([pattern]) => pattern.test(message))?.[1];
  const words =
    kept ?? quota ?? undeclared(message, object) ?? told ?? fieldOf(reasons, reason) ?? refused;
  const keys = keysOf(object).filter((key) => isAbout(message, key));
  return keys.length === 0
    ? words
    : `${words} (${keys.map((key) => fieldPath(["data", key])).join(", ")})`;
}

const refused = "the server refused it";

/** A misspelt field of the Secret itself; its name is in the manifest already. */
function undeclared(message: string, object: JsonObject): string | undefined {
  const field = /\): \.(\w+): field not declared in schema/.exec(message)?.[1];
  const isOurs = field !== undefined && Object.hasOwn(object, field);
  return isOurs ? `${field}: field not declared in schema` : undefined;
}
