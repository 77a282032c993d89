import type { ASTNode } from "@marcbachmann/cel-js";
import { fieldOf } from "../model/json.ts";
import type { CelValue, CelVariables } from "./cel-evaluator.ts";

/** The maximum size of a value: the whole value first, then its direct parts, and so on. */
type ValueSize = readonly SizeLevel[];

interface SizeLevel {
  /** The number of list items or map fields. */
  readonly count: number;
  /** The number of all scalars in it, plus all characters of its strings. */
  readonly weight: number;
}

interface Cost {
  readonly work: number;
  readonly size: ValueSize;
}

export type VariableSizes = (name: string) => ValueSize | undefined;

/**
 * Returns the maximum work of an evaluation, in steps.
 * It is infinite for functions that aren't known to be cheap. The work must be known first, because
 * an evaluation can't be stopped and might fill the memory.
 */
export function evaluationWork(expression: ASTNode, sizes: VariableSizes): number {
  return nodeCost(expression, sizes).work;
}

/** Measures each variable when an expression first reads it. */
export function measureVariables(variables: CelVariables): VariableSizes {
  const known = new Map<string, ValueSize>();
  return (name) => {
    const found = known.get(name);
    const value = fieldOf(variables, name);
    if (found !== undefined || value === undefined) return found;
    const size = valueSize(value);
    known.set(name, size);
    return size;
  };
}

function withVariable(sizes: VariableSizes, variable: string, size: ValueSize): VariableSizes {
  return (name) => (name === variable ? size : sizes(name));
}

function valueSize(value: CelValue): ValueSize {
  const levels: { count: number; weight: number }[] = [];
  addSize(value, 0, levels);
  return levels;
}

/** Adds a value to the levels from `depth` on. Returns its weight. */
function addSize(
  value: CelValue,
  depth: number,
  levels: { count: number; weight: number }[],
): number {
  levels[depth] ??= { count: 0, weight: 0 };
  const level = levels[depth];
  let count = 0;
  let weight = 1;
  if (typeof value === "string") weight += value.length;
  else if (Array.isArray(value)) {
    count = value.length;
    for (const item of value) weight += addSize(item, depth + 1, levels);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      count += 1;
      weight += addSize(name, depth + 1, levels) + addSize(part, depth + 1, levels);
    }
  }
  level.count = Math.max(level.count, count);
  level.weight = Math.max(level.weight, weight);
  return weight;
}

function nodeCost(node: ASTNode, sizes: VariableSizes): Cost {
  switch (node.op) {
    case "value":
      return {
        work: 1,
        size: scalarSize(typeof node.args === "string" ? node.args.length + 1 : 1),
      };
    case "id":
      return { work: 1, size: sizes(node.args) ?? scalarSize(1) };
    case ".":
    case ".?":
      return memberCost(nodeCost(node.args[0], sizes));
    case "[]":
    case "[?]": {
      const [from, index] = operandCosts(node.args, sizes);
      return { ...memberCost(from), work: from.work + index.work + 1 };
    }
    case "list":
      return collectionCost(node.args.map((item) => nodeCost(item, sizes)));
    case "map":
      return collectionCost(node.args.flatMap((entry) => operandCosts(entry, sizes)));
    case "?:": {
      const [condition, ...branches] = node.args.map((each) => nodeCost(each, sizes));
      const work = totalWork(branches) + (condition?.work ?? 0);
      return { work, size: largestSize(branches.map(({ size }) => size)) };
    }
    case "call":
      return callCost(node.args[0], node.args[1], sizes);
    case "rcall":
      return methodCost(node.args, sizes);
    case "!_":
    case "-_":
      return nodeCost(node.args, sizes);
    case "+":
      return joinedCost(operandCosts(node.args, sizes));
    case "in": {
      const [item, list] = operandCosts(node.args, sizes);
      const comparisons = (list.size[0]?.count ?? 0) * comparisonCost(item.size);
      return { work: item.work + list.work + comparisons + 1, size: scalarSize(1) };
    }
    default: {
      const operands = operandCosts(node.args, sizes);
      const compared = operands.reduce((work, { size }) => work + comparisonCost(size), 0);
      return { work: totalWork(operands) + compared, size: scalarSize(1) };
    }
  }
}

/** Functions that read their arguments once and whose result isn't longer than those. */
const cheapFunctions: ReadonlySet<string> = new Set([
  ...["has", "size", "string", "int", "uint", "double", "bool", "bytes", "dyn", "type"],
  ...["timestamp", "duration", "startsWith", "endsWith", "contains", "indexOf", "lastIndexOf"],
  ...["substring", "lowerAscii", "upperAscii", "trim", "getDate", "getDayOfMonth", "getDayOfWeek"],
  ...["getDayOfYear", "getFullYear", "getHours", "getMilliseconds", "getMinutes", "getMonth"],
  ...["getSeconds", "optional", "of", "none", "or", "orValue", "hasValue", "value"],
  // These are never evaluated (see `serverOnlyFunctions`).
  ...["isQuantity", "quantity", "isURL", "url", "isIP", "ip", "isCIDR", "cidr", "isSemver"],
  ...["semver", "isLessThan", "isGreaterThan", "containsIP", "containsCIDR", "compareTo", "add"],
  ...["sub", "family", "getHost", "getHostname", "getScheme", "getPort"],
]);

function callCost(name: string, args: readonly ASTNode[], sizes: VariableSizes): Cost {
  const given = args.map((each) => nodeCost(each, sizes));
  return cheapFunctions.has(name) ? joinedCost(given) : unboundedCost;
}

function methodCost(
  [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  sizes: VariableSizes,
): Cost {
  if (receiver.op === "id" && receiver.args === "cel" && name === "bind") {
    return bindingCost(args, sizes);
  }
  const target = nodeCost(receiver, sizes);
  if (loopMacros.has(name)) return loopCost(name, target, args, sizes);
  const given = [target, ...args.map((each) => nodeCost(each, sizes))];
  const all = joinedCost(given);
  const weight = all.size[0]?.weight ?? 1;
  switch (name) {
    case "matchesRe2":
      // `matchesPattern` limits the cost of the pattern itself.
      return { work: all.work + weight * patternWork, size: scalarSize(1) };
    case "split":
      return { work: all.work + weight, size: [{ count: weight, weight }, ...scalarSize(weight)] };
    case "join": {
      const [list, separator] = given;
      const between = (list?.size[0]?.count ?? 0) * (separator?.size[0]?.weight ?? 1);
      return { work: all.work + between, size: scalarSize(weight + between) };
    }
    default: {
      const isInTimeZone = name.startsWith("get") && args.length > 0;
      return cheapFunctions.has(name) && !isInTimeZone ? all : unboundedCost;
    }
  }
}

const unboundedCost: Cost = { work: Number.POSITIVE_INFINITY, size: [] };
const patternWork = 20;
const loopMacros: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

function bindingCost([name, given, body]: readonly ASTNode[], sizes: VariableSizes): Cost {
  if (name?.op !== "id" || given === undefined || body === undefined) return unboundedCost;
  const bound = nodeCost(given, sizes);
  const inner = nodeCost(body, withVariable(sizes, name.args, bound.size));
  return { work: bound.work + inner.work, size: inner.size };
}

/** Returns the cost of a loop over all items. A loop over a map visits its keys. */
function loopCost(
  name: string,
  target: Cost,
  args: readonly ASTNode[],
  sizes: VariableSizes,
): Cost {
  const [variable, ...bodies] = args;
  if (variable?.op !== "id") return unboundedCost;
  const [whole = { count: 0, weight: 1 }, ...item] = target.size;
  const inside = withVariable(sizes, variable.args, item);
  const each = bodies.map((body) => nodeCost(body, inside));
  const work = target.work + whole.count * (totalWork(each) + 1);
  if (name === "filter") return { work, size: target.size };
  if (name !== "map") return { work, size: scalarSize(1) };
  const made = each.at(-1)?.size ?? [];
  const weight = whole.count * (made[0]?.weight ?? 1);
  return { work: work + whole.count, size: [{ count: whole.count, weight }, ...made] };
}

function operandCosts(
  [a, b]: readonly [ASTNode, ASTNode],
  sizes: VariableSizes,
): readonly [Cost, Cost] {
  return [nodeCost(a, sizes), nodeCost(b, sizes)];
}

function memberCost({ work, size }: Cost): Cost {
  return { work: work + 1, size: size.slice(1) };
}

function collectionCost(parts: readonly Cost[]): Cost {
  const sizes = parts.map(({ size }) => size);
  const weight = sizes.reduce((total, [level]) => total + (level?.weight ?? 1), 1);
  return { work: totalWork(parts), size: [{ count: parts.length, weight }, ...largestSize(sizes)] };
}

/** Returns the cost of joined strings or lists, which takes as long as they are. */
function joinedCost(parts: readonly Cost[]): Cost {
  const heads = parts.map(({ size }) => size[0] ?? { count: 0, weight: 1 });
  const count = heads.reduce((total, level) => total + level.count, 0);
  const weight = heads.reduce((total, level) => total + level.weight, 0);
  const below = largestSize(parts.map(({ size }) => size.slice(1)));
  const made = count + comparisonCost([{ count, weight }]);
  return { work: totalWork(parts) + made, size: [{ count, weight }, ...below] };
}

function totalWork(parts: readonly Cost[]): number {
  return parts.reduce((total, { work }) => total + work, 1);
}

/** Returns the cost of a comparison. Strings are compared many characters at a time. */
function comparisonCost(size: ValueSize): number {
  return 1 + (size[0]?.weight ?? 1) / 50;
}

function scalarSize(weight: number): ValueSize {
  return [{ count: 0, weight }];
}

function largestSize(sizes: readonly ValueSize[]): ValueSize {
  const depth = sizes.reduce((deepest, size) => Math.max(deepest, size.length), 0);
  return Array.from({ length: depth }, (_, level) => ({
    count: sizes.reduce((most, size) => Math.max(most, size[level]?.count ?? 0), 0),
    weight: sizes.reduce((most, size) => Math.max(most, size[level]?.weight ?? 0), 0),
  }));
}
