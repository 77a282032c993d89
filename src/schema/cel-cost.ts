import type { ASTNode } from "@marcbachmann/cel-js";
import type { CelValue, CelVariables } from "./cel-evaluator.ts";

/** The maximum size of a value: the whole value first, then its direct parts, and so on. */
type Size = readonly Level[];

interface Level {
  /** The number of list items or map fields. */
  readonly count: number;
  /** The number of all scalars in it, plus all characters of its strings. */
  readonly weight: number;
}

interface Cost {
  readonly work: number;
  readonly size: Size;
}

type Sizes = ReadonlyMap<string, Size>;

/**
 * Returns the maximum work of an evaluation, in steps.
 * It is infinite for functions that aren't known to be cheap. The work must be known first, because
 * an evaluation can't be stopped and might fill the memory.
 */
export function workOf(expression: ASTNode, variables: CelVariables): number {
  const sizes = new Map(Object.entries(variables).map(([name, value]) => [name, sizeOf(value)]));
  return costOf(expression, sizes).work;
}

function sizeOf(value: CelValue): Size {
  if (typeof value === "string") return [{ count: 0, weight: value.length + 1 }];
  const isCollection = typeof value === "object" && value !== null;
  const parts = isCollection ? Object.values(value) : [];
  const names = isCollection && !Array.isArray(value) ? Object.keys(value) : [];
  const below = [...parts, ...names].map(sizeOf);
  const weight = below.reduce((sum, [level]) => sum + (level?.weight ?? 0), 1);
  return [{ count: parts.length, weight }, ...largest(below)];
}

function costOf(node: ASTNode, sizes: Sizes): Cost {
  switch (node.op) {
    case "value":
      return { work: 1, size: ofWeight(typeof node.args === "string" ? node.args.length + 1 : 1) };
    case "id":
      return { work: 1, size: sizes.get(node.args) ?? ofWeight(1) };
    case ".":
    case ".?":
      return within(costOf(node.args[0], sizes));
    case "[]":
    case "[?]": {
      const [from, index] = both(node.args, sizes);
      return { ...within(from), work: from.work + index.work + 1 };
    }
    case "list":
      return collection(node.args.map((item) => costOf(item, sizes)));
    case "map":
      return collection(node.args.flatMap((entry) => both(entry, sizes)));
    case "?:": {
      const [condition, ...branches] = node.args.map((each) => costOf(each, sizes));
      const work = workTogether(branches) + (condition?.work ?? 0);
      return { work, size: largest(branches.map(({ size }) => size)) };
    }
    case "call":
      return costOfCall(node.args[0], node.args[1], sizes);
    case "rcall":
      return costOfMethod(node.args, sizes);
    case "!_":
    case "-_":
      return costOf(node.args, sizes);
    case "+":
      return sum(both(node.args, sizes));
    case "in": {
      const [item, list] = both(node.args, sizes);
      const comparisons = (list.size[0]?.count ?? 0) * comparison(item.size);
      return { work: item.work + list.work + comparisons + 1, size: ofWeight(1) };
    }
    default: {
      const operands = both(node.args, sizes);
      const compared = operands.reduce((work, { size }) => work + comparison(size), 0);
      return { work: workTogether(operands) + compared, size: ofWeight(1) };
    }
  }
}

/** Functions that read their arguments once and whose result isn't longer than those. */
const cheap: ReadonlySet<string> = new Set([
  ...["has", "size", "string", "int", "uint", "double", "bool", "bytes", "dyn", "type"],
  ...["timestamp", "duration", "startsWith", "endsWith", "contains", "indexOf", "lastIndexOf"],
  ...["substring", "lowerAscii", "upperAscii", "trim", "getDate", "getDayOfMonth", "getDayOfWeek"],
  ...["getDayOfYear", "getFullYear", "getHours", "getMilliseconds", "getMinutes", "getMonth"],
  ...["getSeconds", "optional", "of", "none", "or", "orValue", "hasValue", "value"],
  // These are never evaluated (see `onlyOfServer`).
  ...["isQuantity", "quantity", "isURL", "url", "isIP", "ip", "isCIDR", "cidr", "isSemver"],
  ...["semver", "isLessThan", "isGreaterThan", "containsIP", "containsCIDR", "compareTo", "add"],
  ...["sub", "family", "getHost", "getHostname", "getScheme", "getPort"],
]);

function costOfCall(name: string, args: readonly ASTNode[], sizes: Sizes): Cost {
  const given = args.map((each) => costOf(each, sizes));
  return cheap.has(name) ? sum(given) : unbounded;
}

function costOfMethod(
  [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  sizes: Sizes,
): Cost {
  if (receiver.op === "id" && receiver.args === "cel" && name === "bind") {
    return costOfBinding(args, sizes);
  }
  const target = costOf(receiver, sizes);
  if (loops.has(name)) return costOfLoop(name, target, args, sizes);
  const given = [target, ...args.map((each) => costOf(each, sizes))];
  const all = sum(given);
  const weight = all.size[0]?.weight ?? 1;
  switch (name) {
    case "matchesRe2":
      // `matchesPattern` limits the cost of the pattern itself.
      return { work: all.work + weight * patternWork, size: ofWeight(1) };
    case "split":
      return { work: all.work + weight, size: [{ count: weight, weight }, ...ofWeight(weight)] };
    case "join": {
      const [list, separator] = given;
      const between = (list?.size[0]?.count ?? 0) * (separator?.size[0]?.weight ?? 1);
      return { work: all.work + between, size: ofWeight(weight + between) };
    }
    default: {
      const isInTimeZone = name.startsWith("get") && args.length > 0;
      return cheap.has(name) && !isInTimeZone ? all : unbounded;
    }
  }
}

const unbounded: Cost = { work: Number.POSITIVE_INFINITY, size: [] };
const patternWork = 20;
const loops: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

function costOfBinding([name, given, body]: readonly ASTNode[], sizes: Sizes): Cost {
  if (name?.op !== "id" || given === undefined || body === undefined) return unbounded;
  const bound = costOf(given, sizes);
  const inner = costOf(body, new Map([...sizes, [name.args, bound.size]]));
  return { work: bound.work + inner.work, size: inner.size };
}

/** Returns the cost of a loop over all items. A loop over a map visits its keys. */
function costOfLoop(name: string, target: Cost, args: readonly ASTNode[], sizes: Sizes): Cost {
  const [variable, ...bodies] = args;
  if (variable?.op !== "id") return unbounded;
  const [whole = { count: 0, weight: 1 }, ...item] = target.size;
  const inside = new Map([...sizes, [variable.args, item]]);
  const each = bodies.map((body) => costOf(body, inside));
  const work = target.work + whole.count * (workTogether(each) + 1);
  if (name === "filter") return { work, size: target.size };
  if (name !== "map") return { work, size: ofWeight(1) };
  const made = each.at(-1)?.size ?? [];
  const weight = whole.count * (made[0]?.weight ?? 1);
  return { work: work + whole.count, size: [{ count: whole.count, weight }, ...made] };
}

function both([a, b]: readonly [ASTNode, ASTNode], sizes: Sizes): readonly [Cost, Cost] {
  return [costOf(a, sizes), costOf(b, sizes)];
}

function within({ work, size }: Cost): Cost {
  return { work: work + 1, size: size.slice(1) };
}

function collection(parts: readonly Cost[]): Cost {
  const sizes = parts.map(({ size }) => size);
  const weight = sizes.reduce((total, [level]) => total + (level?.weight ?? 1), 1);
  return { work: workTogether(parts), size: [{ count: parts.length, weight }, ...largest(sizes)] };
}

/** Returns the cost of joined strings or lists, which takes as long as they are. */
function sum(parts: readonly Cost[]): Cost {
  const heads = parts.map(({ size }) => size[0] ?? { count: 0, weight: 1 });
  const count = heads.reduce((total, level) => total + level.count, 0);
  const weight = heads.reduce((total, level) => total + level.weight, 0);
  const below = largest(parts.map(({ size }) => size.slice(1)));
  const made = count + comparison([{ count, weight }]);
  return { work: workTogether(parts) + made, size: [{ count, weight }, ...below] };
}

function workTogether(parts: readonly Cost[]): number {
  return parts.reduce((total, { work }) => total + work, 1);
}

/** Returns the cost of a comparison. Strings are compared many characters at a time. */
function comparison(size: Size): number {
  return 1 + (size[0]?.weight ?? 1) / 50;
}

function ofWeight(weight: number): Size {
  return [{ count: 0, weight }];
}

function largest(sizes: readonly Size[]): Size {
  const depth = sizes.reduce((deepest, size) => Math.max(deepest, size.length), 0);
  return Array.from({ length: depth }, (_, level) => ({
    count: sizes.reduce((most, size) => Math.max(most, size[level]?.count ?? 0), 0),
    weight: sizes.reduce((most, size) => Math.max(most, size[level]?.weight ?? 0), 0),
  }));
}
