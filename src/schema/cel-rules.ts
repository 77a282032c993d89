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
import { type CelEvaluator, celEvaluator } from "./cel-evaluator.ts";
import { celValueBySchema } from "./cel-value-by-schema.ts";
import { itemKeys } from "./limits.ts";
import { partsOf, type Violation } from "./structural.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The maximum number of violations for one object. More don't help a user. */
const mostOfOne = 20;

/** The verdicts of a definition's CEL rules (`x-kubernetes-validations`) on a value. */
export interface RuleVerdicts {
  readonly broken: readonly Violation[];
  /** The first rule that qvs can't evaluate. */
  readonly undecided: Violation | undefined;
}

/** The shared context for all values of one plan. */
export interface JudgeContext {
  /** Reports whether a value is known only after the deployment. */
  readonly isOpen: (value: Json) => boolean;
  readonly budget: WorkBudget;
}

/**
 * Evaluates the CEL rules of a definition on a value.
 * `before` is the live value in the same version. Some rules compare with it. The other rules
 * reject nothing that stays as it was (KEP-4008).
 */
export function judgeByRules(
  value: Json,
  before: Json | undefined,
  schema: JsonObject,
  { isOpen, budget }: JudgeContext,
): RuleVerdicts {
  const context = { isOpen, evaluate: celEvaluator(["self", "oldSelf"], budget) };
  const broken: Violation[] = [];
  let undecided: Violation | undefined;
  for (const judged of judgedAt({ value, before, schema, isSame: false }, [], context)) {
    if (judged.isBroken) broken.push(judged);
    else undecided ??= judged;
    if (broken.length === mostOfOne) break;
  }
  return { broken, undecided };
}

interface Judged extends Violation {
  readonly isBroken: boolean;
}

interface Subject {
  readonly value: Json;
  readonly before: Json | undefined;
  readonly schema: JsonObject;
  /** True if the value is part of an unchanged value. */
  readonly isSame: boolean;
}

interface Context {
  readonly isOpen: (value: Json) => boolean;
  readonly evaluate: CelEvaluator;
}

function* judgedAt(
  { value, before, schema, isSame: isWithinSame }: Subject,
  path: readonly string[],
  context: Context,
): Generator<Judged> {
  if (value === null) return;
  const isSame = isWithinSame || (before !== undefined && sameJson(value, before));
  for (const rule of rulesAt(schema)) {
    const judged = judgedBy(rule, { value, before, schema, isSame }, context);
    if (judged === undefined) continue;
    const told = judged.isBroken ? [...path, ...pathIn(textAt(rule, "fieldPath"))] : path;
    yield { path: told, ...judged };
  }
  for (const { name, part, below } of partsOf(value, schema)) {
    const former = partBefore(name, part, before, schema);
    const inner = { value: part, before: former, schema: below, isSame };
    yield* judgedAt(inner, [...path, name], context);
  }
}

/** Returns the rules for a value, including those in the parts of `allOf` about the same value. */
function rulesAt(schema: JsonObject): readonly Json[] {
  const others = listAt(schema, "allOf").filter(isObject).flatMap(rulesAt);
  return [...listAt(schema, "x-kubernetes-validations"), ...others];
}

/** Returns the previous value of a part. Only keys identify list items. */
function partBefore(
  name: string,
  part: Json,
  before: Json | undefined,
  schema: JsonObject,
): Json | undefined {
  if (isObject(before)) return fieldOf(before, name);
  if (!isList(before) || schema["x-kubernetes-list-type"] !== "map") return undefined;
  const keys = itemKeys(schema);
  const keyOf = (item: Json) =>
    JSON.stringify(keys.map((key) => (isObject(item) ? (fieldOf(item, key) ?? null) : null)));
  return before.find((item) => keyOf(item) === keyOf(part));
}

function judgedBy(
  rule: Json,
  { value, before, schema, isSame }: Subject,
  { isOpen, evaluate }: Context,
): Pick<Judged, "what" | "isBroken"> | undefined {
  const text = textAt(rule, "rule") ?? "";
  const isTransition = /\boldSelf\b/.test(text);
  const isOptional = isObject(rule) && rule["optionalOldSelf"] === true;
  // The API server skips a rule that compares with the previous value if there is none.
  if (isTransition && before === undefined && !isOptional) return undefined;
  const stays = isSame && !isTransition;
  const undecided = stays
    ? undefined
    : { isBroken: false, what: `keeps the rule ${shortened(text)}` };
  const isReordered = isTransition && holdsUnordered(value, schema);
  const isBeforeOpen = isTransition && before !== undefined && holdsOpen(before, isOpen);
  if (isOptional || isReordered || isBeforeOpen || holdsOpen(value, isOpen)) return undecided;
  const outcome = evaluate(text, {
    self: celValueBySchema(value, schema),
    ...(before === undefined ? {} : { oldSelf: celValueBySchema(before, schema) }),
  });
  const message = textAt(rule, "message") ?? `breaks the rule ${text}`;
  switch (outcome.by) {
    case "value":
      if (typeof outcome.value !== "boolean") return undecided;
      if (outcome.value || stays) return undefined;
      return { isBroken: true, what: `is refused: ${message}` };
    case "failure":
      return { isBroken: true, what: `is refused: ${outcome.why}, in the rule ${text}` };
    case "nobody":
      return undecided;
  }
}

const longestShown = 100;

function shortened(rule: string): string {
  return rule.length > longestShown ? `${rule.slice(0, longestShown)}…` : rule;
}

/** Reports whether a value contains lists that are equal in any order. */
function holdsUnordered(value: Json, schema: JsonObject): boolean {
  const type = schema["x-kubernetes-list-type"];
  return (
    (isList(value) && value.length > 1 && (type === "set" || type === "map")) ||
    partsOf(value, schema).some(({ part, below }) => holdsUnordered(part, below))
  );
}

export function holdsOpen(value: Json, isOpen: (value: Json) => boolean): boolean {
  if (isList(value)) return value.some((item) => holdsOpen(item, isOpen));
  if (isObject(value)) return Object.values(value).some((item) => holdsOpen(item, isOpen));
  return isOpen(value);
}

/** Parses a field path of a definition: `.spec.hosts` or `['a-b']`. */
function pathIn(fieldPath: string | undefined): readonly string[] {
  return [...(fieldPath ?? "").matchAll(/\.([\w-]+)|\['([^']+)'\]/g)].map(
    ([, name, quoted]) => name ?? quoted ?? "",
  );
}
