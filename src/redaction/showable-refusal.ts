import { fieldPath } from "../model/fields/field-path.ts";
import { at, fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { mayHoldSecrets } from "./secret-like.ts";
import { withoutLongValues } from "./without-go-values.ts";

/** An API server rejection, in the parts that can quote the request. */
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
 * Returns a rejection of `object` that can be shown. The API server quotes rejected values.
 * For a Secret, the result contains only the fields and a reason in fixed words. For any other
 * object, types replace dumped values.
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

/**
 * Sorts the errors of several fields, because the API server lists them in a different order each
 * time.
 */
function withErrorsInOrder(message: string): string {
  return message.replace(/(?<=: errors:\n)(?: +\.[^\n]+(?:\n|$))+/, (lines) =>
    lines.trimEnd().split("\n").toSorted().join("\n"),
  );
}

/**
 * Replaces dumped values by their types: `got &value.valueUnstructured{Value:987654}` →
 * `got a number`. Go prints whole values there, over several lines.
 */
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

/** Returns the expected type: `string` for `expected string, got …`. */
function expectedBefore(message: string, end: number): string {
  const word = "expected ";
  const start = message.lastIndexOf(word, end);
  return start < 0 ? "" : (/^\w+/.exec(message.slice(start + word.length, end))?.[0] ?? "");
}

/**
 * Returns the type of a dumped value. The API server prints quotation marks only where it expects a
 * string. In other messages, `5` and `true` can be strings too.
 */
function typeOfDumped(dumped: string, expected: string): string {
  if (dumped.startsWith("map[")) return "a map";
  if (dumped.startsWith("[")) return "a list";
  if (/^(<nil>|interface \{\}\(nil\))/.test(dumped)) return "nothing";
  if (expected === "string") return /^-?\d/.test(dumped) ? "a number" : "true or false";
  if (expected !== "boolean") return "a single value";
  return /^-?\d/.test(dumped) ? "text or a number" : "text";
}

/**
 * Returns the field that a cause is about. The keys of a Secret's data are always shown. A path
 * below a key is part of its value.
 */
function fieldOfSecret({ field, reason }: Cause, object: JsonObject): string {
  const [, part] = /^\.?(data|stringData)(?![\w-])/.exec(field) ?? [];
  if (part === undefined) return fieldAround(field, reason, object);
  const key = [...keysOf(object), ...keysOfTypes].find((each) => isAbout(field, each));
  return key === undefined ? part : fieldPath([part, key]);
}

/** The keys that Secrets of the built-in types must have. */
const keysOfTypes: readonly string[] = [
  ...["tls.crt", "tls.key", ".dockerconfigjson", ".dockercfg", "ssh-privatekey"],
  ...["username", "password"],
];

/**
 * Returns a field if the manifest contains its name at the top level or in its metadata. The paths
 * in ownership conflicts are shown too, because they contain only names.
 */
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
  // The longest key is first, because `data.a` is also the start of `data.ab`.
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

/**
 * Returns the sentence with the name of the policy that denied the request. The message of the
 * policy is omitted, because it can quote the object.
 */
function policyIn(message: string): string | undefined {
  const [sentence] =
    /^ValidatingAdmissionPolicy '[\w.-]+' with binding '[\w.-]+' denied request/.exec(message) ??
    [];
  return sentence;
}

/**
 * Returns the sentence of a conflict, which names only field managers. The text after it is
 * omitted.
 */
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

/**
 * Sentences that the API server builds from names alone. Only these are kept, and only at the start
 * of a message.
 */
const valueless: readonly RegExp[] = [
  /^(?:secrets "[^"\n]*" is forbidden: )?User "[^"\n]*" cannot \w+ resource "[\w./-]+" in API group "[\w.-]*"(?: in the namespace "[\w-]+"| at the cluster scope)?/,
  /^[a-z]+ "[\w.-]+" not found$/,
  /^admission webhook "[\w.-]+" (?:denied the request|does not support dry run)/,
  /^uid mismatch/,
];

/** Other faults of a Secret, described in fixed words. */
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

/** Reports a misspelled field of the Secret itself. Its name is in the manifest already. */
function undeclared(message: string, object: JsonObject): string | undefined {
  const field = /\): \.(\w+): field not declared in schema/.exec(message)?.[1];
  const isOurs = field !== undefined && Object.hasOwn(object, field);
  return isOurs ? `${field}: field not declared in schema` : undefined;
}
