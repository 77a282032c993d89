import type { Document } from "yaml";
import { deepestNesting, type Json } from "../model/json.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";

type ProblemHere = Omit<Problem, "where">;

/** Converts a YAML document to JSON. A value that JSON can't express is an error. */
export function jsonOf(document: Document, where: Position): Result<Json> {
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
    if (typeof each === "number" || typeof each === "bigint") return wholeNumber(Number(each));
    if (depth > deepestNesting) return refused(tooDeep);
    if (Array.isArray(each)) return each.map((item) => walk(item, depth + 1));
    if (!isPlain(each)) return refused(noJson);
    return Object.fromEntries(
      Object.entries(each).map(([name, item]) => [name.toWellFormed(), walk(item, depth + 1)]),
    );
  }

  function wholeNumber(number: number): Json {
    if (!Number.isFinite(number)) return refused(noJson);
    return Number.isInteger(number) && !Number.isSafeInteger(number)
      ? refused(tooManyDigits)
      : number;
  }

  function refused(problem: ProblemHere): null {
    problems.add(problem);
    return null;
  }
}

/**
 * Reports whether a value is a plain object.
 * YAML tags such as `!!binary` and `!!set` create other objects.
 */
function isPlain(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

const tooManyDigits: ProblemHere = {
  code: "invalid-object",
  what: "This object has a whole number beyond 2^53, whose digits would change",
  fix: "Write it as text, if the field takes that",
};

const tooManyAliases: ProblemHere = {
  code: "invalid-object",
  what: "This object repeats too much by aliases",
  fix: "Write it without anchors and aliases, as `kubectl get -o yaml` does",
};

const tooDeep: ProblemHere = {
  code: "invalid-object",
  what: `This object nests maps and lists deeper than ${deepestNesting} levels`,
  fix: "Leave it out",
};

const noJson: ProblemHere = {
  code: "invalid-object",
  what: "This object holds a value that JSON does not have: infinity, bytes or a set",
  fix: "Write it as text, a list or a map, as the API server would store it",
};
