import { type ASTNode, Environment, EvaluationError, serialize } from "@marcbachmann/cel-js";
import type { Json, JsonObject } from "../model/json.ts";
import { workOf } from "./cel-cost.ts";
import { matchesPattern } from "./pattern.ts";
import type { WorkBudget } from "./work-budget.ts";

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

/** What an expression comes to in the API server. */
export type CelOutcome =
  | { readonly by: "value"; readonly value: CelValue }
  /** The server can't evaluate it either; `why` is what it says. */
  | { readonly by: "failure"; readonly why: string }
  /** It uses what is not known here, or what only the API server has in its CEL, or it is too much work. */
  | { readonly by: "nobody" };

export type CelEvaluator = (expression: string, variables: CelVariables) => CelOutcome;

/** In steps, for all that one evaluator evaluates, of what is left for its plan: expressions are written by whoever writes the manifests. */
const mostWork = 2_000_000;
/** To find out that an expression is too much is work, too. */
const passingOver = 10_000;
const longestExpression = 4_096;

/** Evaluates expressions that use these variables. The only place that says what CEL comes to. */
export function celEvaluator(names: readonly string[], plan: WorkBudget): CelEvaluator {
  const environment = environmentOf(names);
  let left = Math.min(mostWork, plan.left);
  return (text, variables) => {
    if (text.length > longestExpression || left <= 0) return undecided;
    try {
      const expression = environment.parse(text.replaceAll(/\.matches\(/g, ".matchesRe2("));
      const work = text.length + workOf(expression.ast, variables);
      const isTooMuch = work > left;
      const spent = isTooMuch ? passingOver : work;
      left -= spent;
      plan.left -= spent;
      if (isTooMuch) return undecided;
      const evaluate: Evaluate = (node) => environment.parse(serialize(node))(variables);
      return sayingNoValue(text, decide(expression.ast, evaluate));
    } catch {
      return undecided;
    }
  };
}

type Evaluate = (node: ASTNode) => CelValue;

const undecided: CelOutcome = { by: "nobody" };

/** A key that is missing may be a value, of which only what the expression itself says is told; or one that nobody knows. */
function sayingNoValue(expression: string, outcome: CelOutcome): CelOutcome {
  if (outcome.by !== "failure") return outcome;
  const [, key = ""] = /^no such key: (.*)$/s.exec(outcome.why) ?? [];
  if (key === String(unknownValue())) return undecided;
  return expression.includes(key) ? outcome : { by: "failure", why: "no such key" };
}

/** In place of a value that nobody knows. Each is another one, so that no two are found to be equal. */
export function unknownValue(): symbol {
  return Symbol("unknown");
}

/** Whole numbers are ints. */
export function celValueOf(value: Json): CelValue {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(celValueOf);
  return mapFields(value as JsonObject, celValueOf);
}

function mapFields(value: JsonObject, change: (item: Json) => CelValue): CelValue {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item)]));
}

/** RE2 as in the API server, instead of what JavaScript takes for ever for. */
function environmentOf(names: readonly string[]): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  for (const name of names) environment.registerVariable(name, "dyn");
  for (const each of onlyOfServer) environment.registerFunction(each, refuse);
  return environment.registerFunction(
    "string.matchesRe2(string): bool",
    (text: string, pattern: string) => matchesPattern(text, pattern) ?? refuse(),
  );
}

/** Known by name, so that what does not come to them can be evaluated: `!has(self.size) || isQuantity(self.size)`. */
const onlyOfServer: readonly string[] = [
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

function refuse(): never {
  throw new Error("Only the server can evaluate this");
}

/**
 * `false && …` is false whatever fails beside it. So where something fails, its sides are looked at by themselves: which of the failures is
 * seen says nothing about the others.
 */
function decide(node: ASTNode, evaluate: Evaluate): CelOutcome {
  const whole = outcomeOf(node, evaluate);
  if (whole.by !== "failure" || (node.op !== "&&" && node.op !== "||")) return whole;
  const decisive = node.op === "||";
  const sides = node.args.map((side) => decide(side, evaluate));
  return (
    sides.find((side) => side.by === "value" && side.value === decisive) ??
    sides.find(({ by }) => by === "nobody") ??
    sides.find(({ by }) => by === "failure") ??
    whole
  );
}

/** What fails in another way than by a missing key may be a matter of this evaluator. */
function outcomeOf(node: ASTNode, evaluate: Evaluate): CelOutcome {
  try {
    return { by: "value", value: evaluate(node) };
  } catch (error) {
    const isMissing = error instanceof EvaluationError && error.code === "no_such_key";
    const isSplit = node.op === "&&" || node.op === "||";
    if (!isMissing || (!isSplit && mayOutliveFailures(node))) return undecided;
    const [line = ""] = error.message.split("\n");
    return { by: "failure", why: line.replace(/^No such key/, "no such key") };
  }
}

const outlasting: ReadonlySet<string> = new Set(["all", "exists"]);

function mayOutliveFailures(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(mayOutliveFailures);
  if (typeof node !== "object" || node === null || !("op" in node)) return false;
  const { op, args } = node as ASTNode;
  if (op === "&&" || op === "||" || (op === "rcall" && outlasting.has(args[0]))) return true;
  return mayOutliveFailures(args);
}
