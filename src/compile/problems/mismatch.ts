import { isList, isObject, type Json } from "../../model/json.ts";
import type { CueProblem } from "../../ports/cue.ts";
import { demandOf, isBareRule } from "./constraint-words.ts";
import { explainMessage } from "./cue-words.ts";
import { mismatchedTypes, typeOfConstraint, withoutValues } from "./without-values.ts";

/** A reader recognizes a value by this many characters. */
const maxShown = 60;

/**
 * Describes CUE's errors about one value as the rest of a sentence: `is "many", but must be int`.
 * CUE reports one error per disjunct. It doesn't say which of two conflicting values was the given
 * one.
 */
export function describeMismatch(
  errors: readonly CueProblem[],
  given: Json | undefined,
  mayQuote: boolean,
): string {
  const [first] = errors;
  if (first?.message === "field not allowed") return "is a field that the adapter does not know";
  const value = JSON.stringify(given) ?? "";
  const allowed = errors.map(({ message }) => allowedBy(message, value));
  const known = [...new Set(allowed.filter((each) => each !== undefined))];
  const isShort = value.length <= maxShown && !isList(given) && !isObject(given);
  const message = first?.message ?? "";
  if (value === "")
    return `does not fit: ${mayQuote ? explainMessage(message).what : withoutValues(message)}`;
  if (!mayQuote || !isShort) {
    return `is ${described(given, mayQuote)}, ${typesOf(known.length > 0 ? known : typesIn(errors), given)}`;
  }
  if (known.length === 0 || allowed.includes(undefined)) {
    return `does not fit: ${explainMessage(message).what}`;
  }
  return `is ${value}, but must ${demandOf(withoutCovered(known))}${reasonOf(errors)}`;
}

/** Returns the message of the function that rejected a value, in parentheses. */
function reasonOf(errors: readonly CueProblem[]): string {
  const reasons = errors.map(
    ({ message }) => /\(does not satisfy [^()]*\): (.+)$/s.exec(message)?.[1],
  );
  const said = reasons.find((reason) => reason !== undefined)?.replace(/^\w+(?:\(.*?\))?: /, "");
  return said === undefined ? "" : ` (${said})`;
}

/**
 * Returns the expected types of a conflict. If the given value is an object or a list, CUE names
 * the types only at the end of the message.
 */
function typesIn(errors: readonly CueProblem[]): readonly string[] {
  return errors.flatMap(({ message }) => mismatchedTypes(message)?.split(" and ").slice(1) ?? []);
}

function described(given: Json | undefined, mayQuote: boolean): string {
  if (isList(given)) return "a list";
  if (isObject(given)) return "a map";
  return mayQuote ? "a long text" : "(hidden)";
}

/**
 * Describes the allowed types only. The allowed values could contain a default that is a secret.
 */
function typesOf(allowed: readonly string[], given: Json | undefined): string {
  const types = allowed.map((each) => (isBareRule(each) ? each : typeOfConstraint(each)));
  const distinct = [...new Set(types.filter((each) => each !== undefined))];
  const alike = sameTypeAs(given);
  if (alike !== undefined && distinct.some((each) => alike.types.includes(each))) {
    return `which is a ${alike.name} that the adapter does not allow`;
  }
  return distinct.length === 0
    ? "which does not fit what the adapter declares"
    : `but must ${demandOf(withoutCovered(distinct))}`;
}

/**
 * Returns the types that a value has. A value with the right type can still be rejected for a
 * reason that must be hidden.
 */
function sameTypeAs(
  given: Json | undefined,
): { readonly types: readonly string[]; readonly name: string } | undefined {
  if (typeof given === "string") return { types: ["string"], name: "text" };
  if (typeof given !== "number") return undefined;
  const types = Number.isInteger(given) ? ["int", "number", "float"] : ["number", "float"];
  return { types, name: "number" };
}

function allowedBy(message: string, given: string): string | undefined {
  const pair = /^conflicting values (.*?)(?: \(mismatched types .*\))?$/s.exec(message)?.[1];
  if (pair?.startsWith(`${given} and `)) return pair.slice(`${given} and `.length);
  if (pair?.endsWith(` and ${given}`)) return pair.slice(0, -` and ${given}`.length);
  const rule = /^invalid value .* \(does not satisfy ([\w.]+(?:\(\d*\))?)\)(?:: |$)/s.exec(
    message,
  )?.[1];
  return rule ?? /^invalid value .*\((?:out of bound|does not satisfy) (.*)\)$/s.exec(message)?.[1];
}

/**
 * Removes values that a wider constraint covers. `int | *1` allows any int, and `<10 | *1` any
 * number below 10, so the default adds nothing.
 */
function withoutCovered(allowed: readonly string[]): readonly string[] {
  return allowed.filter((each) => !allowed.some((other) => other !== each && covers(other, each)));
}

function covers(wide: string, literal: string): boolean {
  if (wide === typeOfLiteral(literal)) return true;
  const [, operator = "", limit] = /^([<>])=?(-?\d+(?:\.\d+)?)$/.exec(wide) ?? [];
  if (limit === undefined || typeOfLiteral(literal) !== "int") return false;
  return operator === "<" ? Number(literal) < Number(limit) : Number(literal) > Number(limit);
}

function typeOfLiteral(text: string): string | undefined {
  if (/^-?\d+$/.test(text)) return "int";
  if (/^(true|false)$/.test(text)) return "bool";
  return text.startsWith('"') ? "string" : undefined;
}
