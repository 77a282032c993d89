import type { Document } from "yaml";
import { deepestNesting, type Json } from "../model/json.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";

type ProblemHere = Omit<Problem, "where">;

/** Converts a YAML document to JSON. A value that JSON can't express is an error. */
export function documentToJson(document: Document, where: Position): Result<Json> {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    return failed([{ ...tooManyAliases, where: [where] }]);
  }
  const problems = new Set<ProblemHere>();
  const json = walk(value, 0);
  if (problems.size === 0) return ok(json);
  return failed([...problems].map((problem) => ({ ...problem, where: [where] })));

  function walk(each: unknown, depth: number): Json {
    if (each === null || typeof each === "boolean") return each;
    // kubectl also replaces half of a surrogate pair, because it isn't a character.
    if (typeof each === "string") return each.toWellFormed();
    if (typeof each === "number" || typeof each === "bigint") return toNumber(Number(each));
    if (depth > deepestNesting) return reject(tooDeep);
    if (Array.isArray(each)) return each.map((item) => walk(item, depth + 1));
    if (!isPlainObject(each)) return reject(notJson);
    return Object.fromEntries(
      Object.entries(each).map(([name, item]) => [name.toWellFormed(), walk(item, depth + 1)]),
    );
  }

  function toNumber(number: number): Json {
    if (!Number.isFinite(number)) return reject(notJson);
    return Number.isInteger(number) && !Number.isSafeInteger(number)
      ? reject(tooManyDigits)
      : number;
  }

  function reject(problem: ProblemHere): null {
    problems.add(problem);
    return null;
  }
}

/**
 * Reports whether a value is a plain object.
 * YAML tags such as `!!binary` and `!!set` create other objects.
 */
function isPlainObject(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

const tooManyDigits: ProblemHere = {
  code: "invalid-object",
  what: "This object contains an integer beyond 2^53",
  why: "Its digits would change",
  fix: "Write the number as a string if the field allows that",
};

const tooManyAliases: ProblemHere = {
  code: "invalid-object",
  what: "This object repeats too much through YAML aliases",
  fix: "Write the object without anchors and aliases, like kubectl get -o yaml",
};

const tooDeep: ProblemHere = {
  code: "invalid-object",
  what: `This object has more than ${deepestNesting} levels of nested objects and lists`,
  fix: "Remove the object from the input",
};

const notJson: ProblemHere = {
  code: "invalid-object",
  what: "This object contains a value that JSON doesn't have",
  why: "JSON has no infinity, bytes or sets",
  fix: "Write the value as a string, a list or an object, as the API server would store it",
};
