import {
  type ASTNode,
  Environment,
  EvaluationError,
  type ParseResult,
  serialize,
} from "@marcbachmann/cel-js";
import type { Json, JsonObject } from "../model/json.ts";
import { matchesPattern } from "../model/text/pattern.ts";
import { evaluationWork, measureVariables, type VariableSizes } from "./cel-cost.ts";
import type { WorkBudget } from "./undecided.ts";

export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | symbol
  | CelValue[]
  | { [name: string]: CelValue };

export type CelVariables = Readonly<Record<string, CelValue>>;

/** The result of an expression in the API server. */
export type CelOutcome =
  | { readonly by: "value"; readonly value: CelValue }
  /** The API server can't evaluate it, either. `why` is its message. */
  | { readonly by: "failure"; readonly why: string }
  /**
   * qvs can't evaluate it.
   * It uses unknown values or functions that only the API server has, or it is too much work.
   */
  | { readonly by: "nobody"; readonly isTooMuchWork?: true };

export type CelEvaluator = (expression: string, variables: CelVariables) => CelOutcome;

/** Evaluates within a budget, and reduces it. */
export type MeteredCelEvaluator = (
  expression: string,
  variables: CelVariables,
  budget: WorkBudget,
) => CelOutcome;

/**
 * The maximum work of one evaluator, in steps, within the rest of its plan's budget.
 * The authors of manifests write the expressions, so their work must be limited.
 */
const maxWork = 2_000_000;
/** The charge for an expression that is too much work, because finding that out is work, too. */
const skipCharge = 10_000;
export const maxExpressionLength = 4_096;

/** Creates an evaluator of expressions with these variables, within the budget of a plan. */
export function createCelEvaluator(names: readonly string[], plan: WorkBudget): CelEvaluator {
  const evaluate = createMeteredCelEvaluator(names);
  const own = { left: Math.min(maxWork, plan.left) };
  return (text, variables) => {
    const before = own.left;
    const outcome = evaluate(text, variables, own);
    plan.left -= before - own.left;
    return outcome;
  };
}

/**
 * Creates an evaluator that parses each expression once. No other code evaluates CEL.
 * It measures the variables once, so callers pass the same object for several expressions.
 */
export function createMeteredCelEvaluator(names: readonly string[]): MeteredCelEvaluator {
  const parse = createParser(names);
  const sizes = new WeakMap<CelVariables, VariableSizes>();
  return (text, variables, budget) => {
    if (text.length > maxExpressionLength || budget.left <= 0) return tooMuchWork;
    try {
      const expression = parse(text);
      const measured = sizes.get(variables) ?? measureVariables(variables);
      sizes.set(variables, measured);
      const work = text.length + evaluationWork(expression.ast, measured);
      const isTooMuch = work > budget.left;
      budget.left -= isTooMuch ? skipCharge : work;
      if (isTooMuch) return tooMuchWork;
      const evaluate: Evaluate = (node) =>
        (node === expression.ast ? expression : parse(serialize(node)))(variables);
      return hideMissingKey(text, evaluateLogic(expression.ast, evaluate));
    } catch {
      return undecided;
    }
  };
}

/** The maximum number of parsed expressions to keep. Objects can bring any number of rules. */
const maxParsed = 10_000;

/** Parses each expression once. */
function createParser(names: readonly string[]): Environment["parse"] {
  const environment = createCelEnvironment(names);
  const parsed = new Map<string, ParseResult>();
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    if (parsed.size >= maxParsed) parsed.clear();
    const made = environment.parse(useRe2(text));
    parsed.set(text, made);
    return made;
  };
}

type Evaluate = (node: ASTNode) => CelValue;

const undecided: CelOutcome = { by: "nobody" };
const tooMuchWork: CelOutcome = { by: "nobody", isTooMuchWork: true };

/**
 * Hides a missing key that the expression doesn't contain, because it might be a value.
 * If the key is an unknown value, the expression is undecided.
 */
function hideMissingKey(expression: string, outcome: CelOutcome): CelOutcome {
  if (outcome.by !== "failure") return outcome;
  const [, key = ""] = /^no such key: (.*)$/s.exec(outcome.why) ?? [];
  if (key === String(unknownValue())) return undecided;
  return expression.includes(key) ? outcome : { by: "failure", why: "no such key" };
}

/** Returns a placeholder for an unknown value. Each one is unique, so no two are equal. */
export function unknownValue(): symbol {
  return Symbol("unknown");
}

/** Converts a value for CEL. Integers become ints. */
export function toCelValue(value: Json): CelValue {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(toCelValue);
  return mapFields(value as JsonObject, toCelValue);
}

function mapFields(value: JsonObject, change: (item: Json) => CelValue): CelValue {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item)]));
}

/**
 * Evaluates the sides of `&&` and `||` separately after a failure.
 * `false && …` is false even if its other side fails. The first failure doesn't show whether the
 * other side fails, too.
 */
function evaluateLogic(node: ASTNode, evaluate: Evaluate): CelOutcome {
  const whole = evaluateNode(node, evaluate);
  if (whole.by !== "failure" || (node.op !== "&&" && node.op !== "||")) return whole;
  const decisive = node.op === "||";
  const sides = node.args.map((side) => evaluateLogic(side, evaluate));
  return (
    sides.find((side) => side.by === "value" && side.value === decisive) ??
    sides.find(({ by }) => by === "nobody") ??
    sides.find(({ by }) => by === "failure") ??
    whole
  );
}

/**
 * Evaluates a node. Only a missing key is a certain failure.
 * Any other failure might be a limit of this evaluator.
 */
function evaluateNode(node: ASTNode, evaluate: Evaluate): CelOutcome {
  try {
    return { by: "value", value: evaluate(node) };
  } catch (error) {
    const isMissing = error instanceof EvaluationError && error.code === "no_such_key";
    const isSplit = node.op === "&&" || node.op === "||";
    if (!isMissing || (!isSplit && toleratesFailures(node))) return undecided;
    const [line = ""] = error.message.split("\n");
    return { by: "failure", why: line.replace(/^No such key/, "no such key") };
  }
}

const failureTolerantMacros: ReadonlySet<string> = new Set(["all", "exists"]);

function toleratesFailures(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(toleratesFailures);
  if (typeof node !== "object" || node === null || !("op" in node)) return false;
  const { op, args } = node as ASTNode;
  if (op === "&&" || op === "||" || (op === "rcall" && failureTolerantMacros.has(args[0])))
    return true;
  return toleratesFailures(args);
}

/**
 * Creates an environment with RE2, as in the API server.
 * JavaScript's regular expressions can take unbounded time.
 */
export function createCelEnvironment(names: readonly string[]): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  for (const name of names) environment.registerVariable(name, "dyn");
  for (const each of serverOnlyFunctions) environment.registerFunction(each, failEvaluation);
  return environment.registerFunction(
    "string.matchesRe2(string): bool",
    (text: string, pattern: string) => matchesPattern(text, pattern) ?? failEvaluation(),
  );
}

/**
 * Functions that only the API server can evaluate.
 * They are registered so that an expression that doesn't reach them works. Example:
 * `!has(self.size) || isQuantity(self.size)`
 */
const serverOnlyFunctions: readonly string[] = [
  ...["isQuantity(dyn): bool", "quantity(dyn): dyn", "isURL(dyn): bool", "url(dyn): dyn"],
  ...["isIP(dyn): bool", "ip(dyn): dyn", "isCIDR(dyn): bool", "cidr(dyn): dyn"],
  ...["isSemver(dyn): bool", "semver(dyn): dyn"],
  ...["isLessThan", "isGreaterThan", "containsIP", "containsCIDR"].map(
    (name) => `dyn.${name}(dyn): bool`,
  ),
  ...["compareTo(dyn): int", "add(dyn): dyn", "sub(dyn): dyn", "family(): int"].map(
    (each) => `dyn.${each}`,
  ),
  ...["getHost", "getHostname", "getScheme", "getPort"].map((name) => `dyn.${name}(): string`),
];

function failEvaluation(): never {
  throw new Error("Only the server can evaluate this");
}

/** Replaces the function `matches` by that of RE2. */
function useRe2(expression: string): string {
  return expression.replaceAll(/\.matches\(/g, ".matchesRe2(");
}
