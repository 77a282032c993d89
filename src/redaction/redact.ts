import { holdsOneOf } from "../model/apply-time-reference.ts";
import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { isSecretField, looksSecret } from "./looks-secret.ts";
import {
  fieldsOfTemplates,
  isCalledSecret,
  isSecretLike,
  readsLikeSecret,
  refersToSecrets,
} from "./secret-like.ts";
import {
  declaredWithin,
  maskPair,
  pairFields,
  type RedactedPair,
  redactSecrets,
} from "./secret-view.ts";

/** What is known of the values to be shown. */
export interface View {
  /** The manifest, where one side is what the cluster holds; undefined where both sides are manifests. */
  readonly declared?: Json | undefined;
  /** Texts that may be shown nowhere. */
  readonly hides?: readonly string[] | undefined;
  /** Of a provider that nothing is known about: there only a name can tell what a secret is. */
  readonly foreign?: boolean;
  /** Within an object that says where a secret is: its templates can hold values. */
  readonly refers?: boolean;
  /** What the object is called within its own one. */
  readonly holder?: string;
}

/**
 * The one place where Secret values become words, so that whatever is shown tells which keys change and nothing about their
 * values: no value, hash or length (docs/concepts/previews.md#secret-values). Both sides of a comparison, ready to be shown: what
 * is hidden and differs reads `(changed)`, `(added)` or `(removed)`.
 */
export function redactPair(
  before: Json | undefined,
  after: Json | undefined,
  view: View = {},
): RedactedPair {
  const isSecret = [before, after].some((side) => isObject(side) && isCalledSecret(side));
  return isSecret ? redactSecrets(before, after, view.declared) : redactWithin(before, after, view);
}

function redactWithin(before: Json | undefined, after: Json | undefined, view: View): RedactedPair {
  const sides = [before, after].filter((side) => side !== undefined);
  if (sides.every(isObject)) return redactObjects(before, after, sides, view);
  if (sides.every(isList)) return redactLists(before, after, view);
  if (sides.every(isScalar)) return redactScalars(before, after, view);
  return {
    before: redactWithin(before, undefined, view).before,
    after: redactWithin(undefined, after, view).after,
  };
}

/** A single object, ready to be shown. */
export function redact(value: Json, view: View = {}): Json {
  return redactPair(value, value, view).before ?? null;
}

function isScalar(value: Json): boolean {
  return !isObject(value) && !isList(value);
}

function redactScalars(before: Json | undefined, after: Json | undefined, view: View) {
  const isHidden = [before, after].some(
    (value) =>
      value !== undefined && (holdsOneOf(view.hides ?? [], value) || isSecretManifest(value)),
  );
  return isHidden ? maskPair(before, after) : { before, after };
}

/** A manifest within a text, as charts and ConfigMaps have them. */
function isSecretManifest(value: Json): boolean {
  return (
    typeof value === "string" &&
    /\bkind["']?\s*:\s*(?:["']\s*)?secrets?\b/i.test(value) &&
    /data["']?\s*:/i.test(value)
  );
}

function redactLists(before: Json | undefined, after: Json | undefined, view: View): RedactedPair {
  const [old, now] = [before, after].map((side) => (isList(side) ? side : []));
  const length = Math.max(old?.length ?? 0, now?.length ?? 0);
  const pairs = Array.from({ length }, (_, i) =>
    redactWithin(old?.[i], now?.[i], { ...view, declared: declaredWithin(view.declared, i) }),
  );
  const items = (side: "before" | "after") =>
    pairs.map((pair) => pair[side]).filter((item) => item !== undefined);
  return { before: before && items("before"), after: after && items("after") };
}

function redactObjects(
  before: Json | undefined,
  after: Json | undefined,
  sides: readonly JsonObject[],
  outer: View,
): RedactedPair {
  if (sides.some(isSecretLike)) return redactSecrets(before, after, outer.declared);
  const view = { ...outer, refers: outer.refers === true || sides.some(refersToSecrets) };
  const isOfSecret = sides.some(isPulumiSecret);
  return pairFields(before, after, (key, a, b) => {
    const within = { ...view, holder: key, declared: declaredWithin(view.declared, key) };
    const isSecret = isOfSecret ? key === "properties" : view.refers && key === "template";
    if (isSecret) return redactSecrets(a, b, within.declared);
    return isMasked(key, [a, b], view, sides) ? maskPair(a, b) : redactWithin(a, b, within);
  });
}

function isMasked(
  key: string,
  sides: readonly (Json | undefined)[],
  view: View,
  objects: readonly JsonObject[],
): boolean {
  const values = sides.filter((side) => side !== undefined);
  if (maskedFields.has(key) || values.some(isCopy)) return true;
  if (view.refers === true && fieldsOfTemplates.has(key)) return true;
  return (
    view.foreign === true &&
    objects.some((object) => isSecretField(object, key, view.holder ?? "")) &&
    values.some(isPlain)
  );
}

/** kubectl's annotation repeats the whole object, Secret values included; `fn::secret` is how Pulumi marks a value. */
const maskedFields: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "fn::secret",
]);

/** Tools keep in annotations what they have applied: as JSON, and some of them packed. */
function isCopy(value: Json): boolean {
  if (typeof value !== "string") return false;
  const isJson = /^\s*[{[]/.test(value) && /"(apiVersion|metadata|stringData)"\s*:/.test(value);
  return isJson || /^(H4sI|eJ[wxyz])[\w+/=-]{20,}\s*$/.test(value);
}

/** What only Pulumi makes of a Secret, such as a patch of one, and what other providers call so. */
function isPulumiSecret({ type, properties }: JsonObject): boolean {
  if (typeof type !== "string" || !type.includes(":") || properties === undefined) return false;
  const name = type.slice(type.lastIndexOf(":") + 1);
  return readsLikeSecret(name) || looksSecret(name);
}

/** A value that stands there itself, rather than where to find it. */
function isPlain(value: Json): boolean {
  return typeof value === "number" || (typeof value === "string" && !/^\$\{[^}]*\}$/.test(value));
}
