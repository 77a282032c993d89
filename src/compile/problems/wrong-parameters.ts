import { fieldPath } from "../../model/fields/field-path.ts";
import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import type { Fact, Fixes, Problem } from "../../model/problems/problem.ts";
import { closest } from "../../model/text/suggest.ts";
import type { Cue, CueField, CueProblem, CueValue } from "../../ports/cue.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import type { Adapter } from "../load-adapter.ts";
import { argumentPlaces, distinctPlaces } from "../positions.ts";
import { describeConstraints, isValueFreeRule } from "./describe-constraints.ts";
import { explainMessage } from "./explain-message.ts";
import { adapterQuoting, isQuotable, type Quoting } from "./quoting.ts";
import { mismatchedTypes, typeOfConstraint, withoutValues } from "./without-values.ts";

/** A reader recognizes a value by this many characters. */
const maxShown = 60;

type Mismatch = Pick<Problem, "what" | "why" | "facts">;

/**
 * Describes CUE's errors about one value. `what` is the rest of a sentence about it.
 * CUE reports one error per disjunct. It doesn't say which of two conflicting values was the given
 * one.
 */
function describeMismatch(
  errors: readonly CueProblem[],
  given: Json | undefined,
  mayQuote: boolean,
): Mismatch {
  const [first] = errors;
  if (first?.message === "field not allowed") return { what: "isn't declared by the adapter" };
  const value = JSON.stringify(given) ?? "";
  const allowed = errors.map(({ message }) => allowedConstraint(message, value));
  const known = [...new Set(allowed.filter((each) => each !== undefined))];
  const isShort = value.length <= maxShown && !isList(given) && !isObject(given);
  const message = first?.message ?? "";
  if (value === "") return invalidValue(messageFacts(mayQuote ? message : withoutValues(message)));
  if (!mayQuote || !isShort) {
    const expected = expectedTypes(known.length > 0 ? known : conflictTypes(errors), given);
    return {
      ...invalidValue([foundFact(describeGiven(given, mayQuote)), ...expected.facts]),
      ...expected.why,
    };
  }
  if (known.length === 0 || allowed.includes(undefined)) return invalidValue(messageFacts(message));
  return invalidValue([
    foundFact(value),
    ...expectedFacts(withoutCovered(known)),
    ...rejectionReason(errors),
  ]);
}

function invalidValue(facts: readonly Fact[]): Mismatch {
  return { what: "has an invalid value", ...(facts.length === 0 ? {} : { facts }) };
}

function foundFact(value: string): Fact {
  return { label: "found", value };
}

function expectedFacts(allowed: readonly string[]): readonly Fact[] {
  return [{ label: "expected", value: describeConstraints(allowed) }];
}

/** Returns the facts of a message about a value that has none of its own. */
function messageFacts(message: string): readonly Fact[] {
  const explained = explainMessage(message);
  if (explained === undefined) return [{ label: "cue", value: message }];
  const { what, facts = [] } = explained;
  return what === "a value isn't allowed" ? facts : [{ label: "reason", value: what }, ...facts];
}

/** Returns the message of the function that rejected a value. */
function rejectionReason(errors: readonly CueProblem[]): readonly Fact[] {
  const reasons = errors.map(
    ({ message }) => /\(does not satisfy [^()]*\): (.+)$/s.exec(message)?.[1],
  );
  const reason = reasons.find((each) => each !== undefined)?.replace(/^\w+(?:\(.*?\))?: /, "");
  return reason === undefined ? [] : [{ label: "reason", value: reason }];
}

/**
 * Returns the expected types of a conflict. If the given value is an object or a list, CUE names
 * the types only at the end of the message.
 */
function conflictTypes(errors: readonly CueProblem[]): readonly string[] {
  return errors.flatMap(({ message }) => mismatchedTypes(message)?.split(" and ").slice(1) ?? []);
}

function describeGiven(given: Json | undefined, mayQuote: boolean): string {
  if (isList(given)) return "a list";
  if (isObject(given)) return "an object";
  return mayQuote ? "a long string" : "(hidden)";
}

/**
 * Describes the allowed types only. The allowed values could contain a default that is a secret.
 */
function expectedTypes(
  allowed: readonly string[],
  given: Json | undefined,
): { readonly facts: readonly Fact[]; readonly why?: Pick<Mismatch, "why"> } {
  const types = allowed.map((each) => (isValueFreeRule(each) ? each : typeOfConstraint(each)));
  const distinct = [...new Set(types.filter((each) => each !== undefined))];
  const alike = givenType(given);
  if (alike !== undefined && distinct.some((each) => alike.types.includes(each))) {
    return { facts: [], why: { why: `It is a ${alike.name} that the adapter doesn't allow` } };
  }
  return { facts: distinct.length === 0 ? [] : expectedFacts(withoutCovered(distinct)) };
}

/**
 * Returns the types that a value has. A value with the right type can still be rejected for a
 * reason that must be hidden.
 */
function givenType(
  given: Json | undefined,
): { readonly types: readonly string[]; readonly name: string } | undefined {
  if (typeof given === "string") return { types: ["string"], name: "string" };
  if (typeof given !== "number") return undefined;
  const typeNames = Number.isInteger(given) ? ["int", "number", "float"] : ["number", "float"];
  return { types: typeNames, name: "number" };
}

function allowedConstraint(message: string, given: string): string | undefined {
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

export interface WrongParameter {
  readonly name: string;
  readonly problem: Problem;
}

/**
 * Returns one problem for each value that violates its declaration. CUE can report several
 * disjuncts for one value.
 */
export function wrongParameters(
  adapter: Adapter,
  bound: CueValue,
  declared: readonly CueField[],
  given: readonly CueField[],
  cue: Cue,
): readonly WrongParameter[] {
  const parameters = cue.lookup(bound, ["parameters"]);
  const errors = parameters === undefined ? [] : cue.validate(parameters, false);
  const names = new Set([...declared, ...given].map((field) => field.name));
  const byPath = Map.groupBy(errors, ({ path }) => JSON.stringify(pathBelow(path, names)));
  const wrong = new Set(errors.map(({ path }) => pathBelow(path, names)[0] ?? ""));
  const quoting = errors.length === 0 ? undefined : adapterQuoting(adapter, wrong, cue);
  return [...byPath].map(([key, group]) => {
    const path: readonly string[] = JSON.parse(key);
    const [name = ""] = path;
    const declaration = declared.find((field) => field.name === name);
    const field = given.find((each) => each.name === name);
    const written = argumentPlaces(fieldOf(adapter.sources, name), path.slice(1));
    const source = written.length > 0 ? written : [field?.position ?? adapter.where];
    const positions = group.slice(0, 1).flatMap((error) => error.positions);
    const value = field === undefined ? undefined : valueBelow(field.value, path.slice(1), cue);
    const mismatch = describeMismatch(group, value, mayQuote(path, group, adapter, quoting));
    const problem: Problem = {
      code: "invalid-parameter",
      where: distinctPlaces(...source, declaration?.position, ...positions),
      ...mismatch,
      what: `Parameter "${fieldPath(path)}" of "${adapter.pattern}" ${mismatch.what}`,
      ...parameterFixes(path, group),
    };
    return { name, problem };
  });
}

function parameterFixes(path: readonly string[], [first]: readonly CueProblem[]): Fixes {
  if (first?.message !== "field not allowed") {
    return { fix: "Change the value", otherwise: ["change the declaration in the adapter"] };
  }
  const name = path.at(-1) ?? "";
  const meant = closest(
    name,
    (first.known ?? []).filter((each) => each !== name),
  );
  return meant === undefined
    ? { fix: "Remove it", otherwise: ["correct its name"] }
    : { fix: `Did you mean "${meant}"?` };
}

function mayQuote(
  path: readonly string[],
  errors: readonly CueProblem[],
  adapter: Adapter,
  quoting: Quoting | undefined,
): boolean {
  if (quoting === undefined || adapter.hidden.has(path[0] ?? "")) return false;
  if (path.some(isSensitiveName)) return false;
  return errors.every(({ message }) => isQuotable(message, quoting));
}

/** Returns the part of an error's path that starts at a parameter. */
function pathBelow(path: CueProblem["path"], names: ReadonlySet<string>): readonly string[] {
  const start = path.findIndex((step) => names.has(step));
  return start < 0 ? path.slice(-1) : path.slice(start);
}

function valueBelow(value: CueValue, path: readonly string[], cue: Cue): Json | undefined {
  const exported = cue.export(value);
  let current: Json | undefined = exported.ok ? exported.value : undefined;
  for (const step of path) {
    if (isList(current)) current = current[Number(step)];
    else current = isObject(current) ? fieldOf(current, step) : undefined;
  }
  return current;
}
