import type { Json } from "../model/json.ts";
import type { CueProblem } from "../ports.ts";

/** Beyond this a value is not recognised by reading on. */
const maxShown = 60;

/**
 * CUE's errors about one value, as the rest of a sentence: `is "many", but must be int`. CUE reports one error for each
 * disjunct, and does not say which of two conflicting values was the given one.
 */
export function describeMismatch(errors: readonly CueProblem[], given: Json | undefined): string {
  const [first] = errors;
  if (first?.message === "field not allowed") return "is a field that the adapter does not know";
  const value = JSON.stringify(given) ?? "";
  const allowed = errors.map(({ message }) => allowedBy(message, value));
  const known = allowed.filter((each) => each !== undefined);
  if (value === "" || known.length < errors.length) return `does not fit: ${first?.message}`;
  const shown = value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
  return `is ${shown}, but must be ${withoutCovered([...new Set(known)]).join(" or ")}`;
}

function allowedBy(message: string, given: string): string | undefined {
  const pair = /^conflicting values (.*?)(?: \(mismatched types .*\))?$/s.exec(message)?.[1];
  if (pair?.startsWith(`${given} and `)) return pair.slice(`${given} and `.length);
  if (pair?.endsWith(` and ${given}`)) return pair.slice(0, -` and ${given}`.length);
  return /^invalid value .*\((?:out of bound|does not satisfy) (.*)\)$/s.exec(message)?.[1];
}

/** `int | *1` allows any int, and `<10 | *1` whatever is below 10: the default says nothing more. */
function withoutCovered(allowed: readonly string[]): readonly string[] {
  return allowed.filter((each) => !allowed.some((other) => other !== each && covers(other, each)));
}

function covers(wide: string, literal: string): boolean {
  if (wide === typeOfLiteral(literal)) return true;
  const [, sign = "", limit] = /^([<>])=?(-?\d+(?:\.\d+)?)$/.exec(wide) ?? [];
  if (limit === undefined || typeOfLiteral(literal) !== "int") return false;
  return sign === "<" ? Number(literal) < Number(limit) : Number(literal) > Number(limit);
}

function typeOfLiteral(text: string): string | undefined {
  if (/^-?\d+$/.test(text)) return "int";
  if (/^(true|false)$/.test(text)) return "bool";
  return text.startsWith('"') ? "string" : undefined;
}
