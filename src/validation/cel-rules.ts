import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import {
  type CelEvaluator,
  type CelValue,
  createCelEvaluator,
  toCelValue,
  unknownValue,
} from "./cel-evaluator.ts";
import { itemKeys } from "./limits.ts";
import { schemaChildren, type ValueViolation } from "./structural.ts";
import type { WorkBudget } from "./undecided.ts";

/** The maximum number of violations for one object. More don't help a user. */
const maxViolations = 20;

/** The verdicts of a definition's CEL rules (`x-kubernetes-validations`) on a value. */
export interface RuleVerdicts {
  readonly broken: readonly ValueViolation[];
  /** The first rule that qvs can't evaluate. */
  readonly undecided: ValueViolation | undefined;
}

/** The shared context for all values of one plan. */
export interface ValidationContext {
  /** Reports whether a value is known only after the deployment. */
  readonly isOpen: (value: Json) => boolean;
  readonly budget: WorkBudget;
}

/**
 * Evaluates the CEL rules of a definition on a value.
 * `before` is the live value in the same version. Some rules compare with it. The other rules
 * reject nothing that stays as it was (KEP-4008).
 */
export function evaluateRules(
  value: Json,
  before: Json | undefined,
  schema: JsonObject,
  { isOpen, budget }: ValidationContext,
): RuleVerdicts {
  const context = { isOpen, evaluate: createCelEvaluator(["self", "oldSelf"], budget) };
  const broken: ValueViolation[] = [];
  let undecided: ValueViolation | undefined;
  for (const judged of collectVerdicts({ value, before, schema, isSame: false }, [], context)) {
    if (judged.isBroken) broken.push(judged);
    else undecided ??= judged;
    if (broken.length === maxViolations) break;
  }
  return { broken, undecided };
}

interface RuleVerdict extends ValueViolation {
  readonly isBroken: boolean;
}

interface RuleSubject {
  readonly value: Json;
  readonly before: Json | undefined;
  readonly schema: JsonObject;
  /** True if the value is part of an unchanged value. */
  readonly isSame: boolean;
}

interface RuleContext {
  readonly isOpen: (value: Json) => boolean;
  readonly evaluate: CelEvaluator;
}

function* collectVerdicts(
  { value, before, schema, isSame: isWithinSame }: RuleSubject,
  path: readonly string[],
  context: RuleContext,
): Generator<RuleVerdict> {
  if (value === null) return;
  const isSame = isWithinSame || (before !== undefined && sameJson(value, before));
  for (const rule of schemaRules(schema)) {
    const judged = evaluateRule(rule, { value, before, schema, isSame }, context);
    if (judged === undefined) continue;
    const reportedPath = judged.isBroken
      ? [...path, ...parseFieldPath(textAt(rule, "fieldPath"))]
      : path;
    yield { path: reportedPath, ...judged };
  }
  for (const { name, part, below } of schemaChildren(value, schema)) {
    const previous = previousPart(name, part, before, schema);
    const inner = { value: part, before: previous, schema: below, isSame };
    yield* collectVerdicts(inner, [...path, name], context);
  }
}

/** Returns the rules for a value, including those in the parts of `allOf` about the same value. */
function schemaRules(schema: JsonObject): readonly Json[] {
  const others = listAt(schema, "allOf").filter(isObject).flatMap(schemaRules);
  return [...listAt(schema, "x-kubernetes-validations"), ...others];
}

/** Returns the previous value of a part. Only keys identify list items. */
function previousPart(
  name: string,
  part: Json,
  before: Json | undefined,
  schema: JsonObject,
): Json | undefined {
  if (isObject(before)) return fieldOf(before, name);
  if (!isList(before) || schema["x-kubernetes-list-type"] !== "map") return undefined;
  const keys = itemKeys(schema);
  const itemKey = (item: Json) =>
    JSON.stringify(keys.map((key) => (isObject(item) ? (fieldOf(item, key) ?? null) : null)));
  return before.find((item) => itemKey(item) === itemKey(part));
}

function evaluateRule(
  rule: Json,
  { value, before, schema, isSame }: RuleSubject,
  { isOpen, evaluate }: RuleContext,
): Pick<RuleVerdict, "what" | "isBroken"> | undefined {
  const text = textAt(rule, "rule") ?? "";
  const isTransition = /\boldSelf\b/.test(text);
  const isOptional = isObject(rule) && rule["optionalOldSelf"] === true;
  // The API server skips a rule that compares with the previous value if there is none.
  if (isTransition && before === undefined && !isOptional) return undefined;
  const stays = isSame && !isTransition;
  const undecided = stays
    ? undefined
    : { isBroken: false, what: `follows the rule ${shortenRule(text)}` };
  const isReordered = isTransition && hasUnorderedList(value, schema);
  const isBeforeOpen = isTransition && before !== undefined && hasUnknown(before, isOpen);
  if (isOptional || isReordered || isBeforeOpen || hasUnknown(value, isOpen)) return undecided;
  const outcome = evaluate(text, {
    self: celValueBySchema(value, schema),
    ...(before === undefined ? {} : { oldSelf: celValueBySchema(before, schema) }),
  });
  const message = textAt(rule, "message");
  const violation = message === undefined ? `violates the rule ${text}` : `is invalid: ${message}`;
  switch (outcome.by) {
    case "value":
      if (typeof outcome.value !== "boolean") return undecided;
      if (outcome.value || stays) return undefined;
      return { isBroken: true, what: violation };
    case "failure":
      return { isBroken: true, what: `violates the rule ${text}: ${outcome.why}` };
    case "nobody":
      return undecided;
  }
}

const maxShownLength = 100;

function shortenRule(rule: string): string {
  return rule.length > maxShownLength ? `${rule.slice(0, maxShownLength)}…` : rule;
}

/** Reports whether a value contains lists that are equal in any order. */
function hasUnorderedList(value: Json, schema: JsonObject): boolean {
  const type = schema["x-kubernetes-list-type"];
  return (
    (isList(value) && value.length > 1 && (type === "set" || type === "map")) ||
    schemaChildren(value, schema).some(({ part, below }) => hasUnorderedList(part, below))
  );
}

export function hasUnknown(value: Json, isOpen: (value: Json) => boolean): boolean {
  if (isList(value)) return value.some((item) => hasUnknown(item, isOpen));
  if (isObject(value)) return Object.values(value).some((item) => hasUnknown(item, isOpen));
  return isOpen(value);
}

/** Parses a field path of a definition: `.spec.hosts` or `['a-b']`. */
function parseFieldPath(fieldPath: string | undefined): readonly string[] {
  return [...(fieldPath ?? "").matchAll(/\.([\w-]+)|\['([^']+)'\]/g)].map(
    ([, name, quoted]) => name ?? quoted ?? "",
  );
}

/**
 * Converts a value to the form that the rules of a definition see.
 * Integers are ints, except where the schema has a number. Names are escaped as in the API server.
 * Strings of some formats aren't strings.
 */
function celValueBySchema(value: Json, schema: JsonObject | undefined): CelValue {
  if (typeof value === "number") {
    return textAt(schema, "type") === "number" ? value : toCelValue(value);
  }
  if (typeof value === "string")
    return isPlainString(textAt(schema, "format")) ? value : unknownValue();
  if (isList(value)) {
    const items = schema?.["items"];
    return value.map((item) => celValueBySchema(item, isObject(items) ? items : undefined));
  }
  if (!isObject(value)) return value;
  const properties = schema?.["properties"];
  const others = schema?.["additionalProperties"];
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const own = isObject(properties) ? fieldOf(properties, name) : undefined;
      const below = own ?? others;
      const shown = own === undefined ? name : escapeName(name);
      return [shown, celValueBySchema(item, isObject(below) ? below : undefined)];
    }),
  );
}

/**
 * Reports whether strings of this format stay strings.
 * The API server converts some formats to times, durations or bytes. It ignores dashes in format
 * names.
 */
function isPlainString(format: string | undefined): boolean {
  return !["date", "datetime", "duration", "byte"].includes(format?.replaceAll("-", "") ?? "");
}

function escapeName(name: string): string {
  if (keywords.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

const keywords: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function"],
  ...["if", "import", "let", "loop", "package", "namespace", "return"],
]);
