import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";

/**
 * The one place where Secret values become words, so that whatever is shown tells which keys change and nothing about their
 * values: no value, hash or length (deploy.md §5).
 */
const hidden = "(hidden)";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export interface RedactedPair {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Both sides of a comparison, ready to be shown: values that differ read `(changed)`, `(added)` or `(removed)`. */
export function redactPair(before: Json | undefined, after: Json | undefined): RedactedPair {
  if (isObject(before) && isObject(after)) return redactObjects(before, after);
  if (isList(before) && isList(after)) return redactLists(before, after);
  return { before: redactOne(before, "(removed)"), after: redactOne(after, "(added)") };
}

/** A single object, ready to be shown. */
export function redact(value: Json): Json {
  return redactOne(value, hidden) ?? null;
}

function redactObjects(before: JsonObject, after: JsonObject): RedactedPair {
  if (isSecret(before) || isSecret(after)) return redactSecrets(before, after);
  const pairs = keysOf(before, after).map((key) => {
    const values = isMaskedField(key)
      ? maskPair(before[key], after[key])
      : redactPair(before[key], after[key]);
    return { key, ...values };
  });
  return { before: collect(pairs, "before"), after: collect(pairs, "after") };
}

function redactLists(before: readonly Json[], after: readonly Json[]): RedactedPair {
  const length = Math.max(before.length, after.length);
  const pairs = Array.from({ length }, (_, i) => redactPair(before[i], after[i]));
  return {
    before: pairs.map((pair) => pair.before).filter((item) => item !== undefined),
    after: pairs.map((pair) => pair.after).filter((item) => item !== undefined),
  };
}

function redactSecrets(before: JsonObject, after: JsonObject): RedactedPair {
  const [old, now] = [secretData(before), secretData(after)];
  const pairs = keysOf(old, now).map((key) => ({ key, ...maskPair(old[key], now[key]) }));
  const rest = redactObjects(withoutData(before), withoutData(after));
  return {
    before: { ...(rest.before as JsonObject), data: collect(pairs, "before") },
    after: { ...(rest.after as JsonObject), data: collect(pairs, "after") },
  };
}

function redactOne(value: Json | undefined, word: string): Json | undefined {
  if (isList(value)) return value.map((item) => redactOne(item, word) ?? null);
  if (!isObject(value)) return value;
  if (isSecret(value)) return redactSecret(value, word);
  return mapValues(value, (item, key) => (isMaskedField(key) ? word : redactOne(item, word)));
}

function redactSecret(secret: JsonObject, word: string): Json {
  const data = mapValues(secretData(secret), () => word);
  const rest = redactOne(withoutData(secret), word) as JsonObject;
  return { ...rest, data };
}

function maskPair(before: Json | undefined, after: Json | undefined): RedactedPair {
  if (before === undefined) return { before, after: after === undefined ? after : "(added)" };
  if (after === undefined) return { before: "(removed)", after };
  const same = JSON.stringify(before) === JSON.stringify(after);
  return { before: hidden, after: same ? hidden : "(changed)" };
}

/** kubectl's annotation repeats the whole object, Secret values included; `fn::secret` is how Pulumi marks a value. */
function isMaskedField(key: string): boolean {
  return key === lastApplied || key === "fn::secret";
}

/** By its kind alone: an adapter that forgets apiVersion must not make us print what it hides. */
function isSecret(value: JsonObject): boolean {
  return value.kind === "Secret" && (value.data !== undefined || value.stringData !== undefined);
}

/** The server merges stringData into data, so moving a value from one to the other is no change. */
function secretData(secret: JsonObject): JsonObject {
  const plain = mapValues(fieldsOf(secret.stringData), (value) =>
    Buffer.from(String(value)).toString("base64"),
  );
  return { ...fieldsOf(secret.data), ...plain };
}

/** Something that is no map is refused by the server, but it is hidden until then like one value without a key. */
function fieldsOf(data: Json | undefined): JsonObject {
  if (isObject(data)) return data;
  return data === undefined || data === null ? {} : { "": data };
}

function withoutData(secret: JsonObject): JsonObject {
  const { data: _data, stringData: _stringData, ...rest } = secret;
  return rest;
}

function keysOf(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

function mapValues(
  object: JsonObject,
  change: (value: Json, key: string) => Json | undefined,
): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => [key, change(value, key)] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

function collect(
  pairs: readonly ({ readonly key: string } & RedactedPair)[],
  side: "before" | "after",
): JsonObject {
  const entries = pairs.map((pair) => [pair.key, pair[side]] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
