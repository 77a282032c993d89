import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { lastAppliedAnnotation } from "../model/object.ts";
import { containsSecret } from "../model/plan/apply-time-reference.ts";
import {
  declaredChild,
  maskPair,
  pairFields,
  type RedactedPair,
  redactSecrets,
} from "./redact-secrets.ts";
import { isSensitiveField, isSensitiveName } from "./sensitive-name.ts";
import {
  hasSecretKind,
  isSensitiveKind,
  isSensitiveObject,
  refersToSecrets,
  templateFields,
} from "./sensitive-object.ts";

/** The context of the values to show. */
export interface RedactionContext {
  /** The manifest, if one side is the live object; undefined if both sides are manifests. */
  readonly declared?: Json | undefined;
  /** Strings that must not appear in any output. */
  readonly hides?: readonly string[] | undefined;
  /** True if names of fields stay as they are. The caller must hide those that contain a secret. */
  readonly keepsKeys?: boolean;
  /** True for an unknown provider. Only the name can then show that a value is a secret. */
  readonly foreign?: boolean;
  /** True within an object that refers to a secret. Its templates can contain values. */
  readonly refers?: boolean;
  /** The field that contains the object. */
  readonly holder?: string;
}

/**
 * Redacts both sides of a comparison. It is the only place that replaces Secret values, so that
 * outputs show which keys change but no value, hash or length
 * (docs/concepts/previews.md#secret-values).
 * A hidden value that differs becomes `(changed)`, `(added)` or `(removed)`.
 */
export function redactPair(
  before: Json | undefined,
  after: Json | undefined,
  view: RedactionContext = {},
): RedactedPair {
  const isSecret = [before, after].some((side) => isObject(side) && hasSecretKind(side));
  return isSecret
    ? redactSecrets(before, after, view.declared, hiddenKeys(view))
    : redactValue(before, after, view);
}

function hiddenKeys({ hides = [], keepsKeys }: RedactionContext): readonly string[] {
  return keepsKeys === true ? [] : hides;
}

function redactValue(
  before: Json | undefined,
  after: Json | undefined,
  view: RedactionContext,
): RedactedPair {
  const sides = [before, after].filter((side) => side !== undefined);
  if (sides.every(isObject)) return redactObjects(before, after, sides, view);
  if (sides.every(isList)) return redactLists(before, after, view);
  if (sides.every(isScalar)) return redactScalars(before, after, view);
  return {
    before: redactValue(before, undefined, view).before,
    after: redactValue(undefined, after, view).after,
  };
}

/** Redacts a single object. */
export function redact(value: Json, view: RedactionContext = {}): Json {
  return redactPair(value, value, view).before ?? null;
}

function isScalar(value: Json): boolean {
  return !isObject(value) && !isList(value);
}

function redactScalars(before: Json | undefined, after: Json | undefined, view: RedactionContext) {
  const isHidden = [before, after].some(
    (value) =>
      value !== undefined && (containsSecret(view.hides ?? [], value) || isSecretManifest(value)),
  );
  return isHidden ? maskPair(before, after) : { before, after };
}

/** Reports whether a string contains the manifest of a Secret, as in charts and ConfigMaps. */
function isSecretManifest(value: Json): boolean {
  return (
    typeof value === "string" &&
    /\bkind["']?\s*:\s*(?:["']\s*)?secrets?\b/i.test(value) &&
    /data["']?\s*:/i.test(value)
  );
}

function redactLists(
  before: Json | undefined,
  after: Json | undefined,
  view: RedactionContext,
): RedactedPair {
  const [old, now] = [before, after].map((side) => (isList(side) ? side : []));
  const length = Math.max(old?.length ?? 0, now?.length ?? 0);
  const pairs = Array.from({ length }, (_, i) =>
    redactValue(old?.[i], now?.[i], { ...view, declared: declaredChild(view.declared, i) }),
  );
  const items = (side: "before" | "after") =>
    pairs.map((pair) => pair[side]).filter((item) => item !== undefined);
  return { before: before && items("before"), after: after && items("after") };
}

function redactObjects(
  before: Json | undefined,
  after: Json | undefined,
  sides: readonly JsonObject[],
  outer: RedactionContext,
): RedactedPair {
  if (sides.some(isSensitiveObject))
    return redactSecrets(before, after, outer.declared, hiddenKeys(outer));
  const view = { ...outer, refers: outer.refers === true || sides.some(refersToSecrets) };
  const isOfSecret = sides.some(isPulumiSecret);
  const pairOne: Parameters<typeof pairFields>[2] = (key, a, b) => {
    const within = { ...view, holder: key, declared: declaredChild(view.declared, key) };
    const isSecret = isOfSecret ? key === "properties" : view.refers && key === "template";
    if (isSecret) return redactSecrets(a, b, within.declared, hiddenKeys(view));
    return isMaskedField(key, [a, b], view, sides) ? maskPair(a, b) : redactValue(a, b, within);
  };
  return pairFields(before, after, pairOne, hiddenKeys(view));
}

function isMaskedField(
  key: string,
  sides: readonly (Json | undefined)[],
  view: RedactionContext,
  objects: readonly JsonObject[],
): boolean {
  const values = sides.filter((side) => side !== undefined);
  if (maskedFields.has(key) || values.some(isObjectCopy)) return true;
  if (view.refers === true && templateFields.has(key)) return true;
  return (
    view.foreign === true &&
    objects.some((object) => isSensitiveField(object, key, view.holder ?? "")) &&
    values.some(isLiteral)
  );
}

/**
 * The kubectl annotation repeats the whole object, including Secret values. Pulumi marks a secret
 * value with `fn::secret`.
 */
const maskedFields: ReadonlySet<string> = new Set([lastAppliedAnnotation, "fn::secret"]);

/**
 * Reports whether a string is a copy of an object. Tools store applied objects in annotations, as
 * JSON or compressed.
 */
function isObjectCopy(value: Json): boolean {
  if (typeof value !== "string") return false;
  const isJson = /^\s*[{[]/.test(value) && /"(apiVersion|metadata|stringData)"\s*:/.test(value);
  return isJson || /^(H4sI|eJ[wxyz])[\w+/=-]{20,}\s*$/.test(value);
}

/**
 * Reports whether a resource is a Secret that only Pulumi has, such as a patch, or a type of
 * another provider with such a name.
 */
function isPulumiSecret({ type, properties }: JsonObject): boolean {
  if (typeof type !== "string" || !type.includes(":") || properties === undefined) return false;
  const name = type.slice(type.lastIndexOf(":") + 1);
  return isSensitiveKind(name) || isSensitiveName(name);
}

/** Reports whether a value is literal and not a reference. */
function isLiteral(value: Json): boolean {
  return typeof value === "number" || (typeof value === "string" && !/^\$\{[^}]*\}$/.test(value));
}
