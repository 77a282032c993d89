import type { Stage } from "../../model/compilation.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { closest, listed } from "../../model/text/closest.ts";
import type { CueProblem } from "../../ports/cue.ts";
import { looksSecret } from "../../redaction/looks-secret.ts";
import type { Owners, UsedTwice } from "../owners.ts";
import { places } from "../places.ts";
import { explainMessage } from "./cue-words.ts";
import { isQuotable, type Quoting, withoutSecrets } from "./quoting.ts";
import { mismatchedTypes, withoutValues } from "./without-values.ts";

export interface FaultyResource {
  readonly stage: Stage;
  readonly id: string;
  readonly isSecret: boolean;
  readonly position: Position | undefined;
}

/**
 * Explains why a resource has no manifest.
 * There is one problem per field, because CUE reports a conflict with `int | *1` once for the type
 * and once for the default. The problem shows the first of these errors. Values of a Secret are
 * never shown.
 */
export function resourceProblems(
  errors: readonly CueProblem[],
  { stage, id, isSecret, position }: FaultyResource,
  quoting: Quoting,
  owners: Owners,
): readonly Problem[] {
  const byField = Map.groupBy(errors, ({ path }) =>
    fieldPath(withoutSecrets(pathWithin(path, stage), quoting)),
  );
  return [...byField].map(([field, [first]]) => {
    const error = first as CueProblem;
    const said =
      !isSecret && mayQuote(error, quoting)
        ? explain(error, `${stage}/${id}`, field)
        : explainHidden(error, `${stage}/${id}`, field);
    // CUE gives no place for a value that isn't concrete in a disjunction or a cycle. Its resource
    // has a place.
    const where = error.positions.length > 0 ? places(...error.positions) : places(position);
    return { code: said.code, where, what: said.what + setters(error, owners), fix: said.fix };
  });
}

/**
 * Returns the adapter whose two uses conflict. Returns undefined if one of the errors isn't a
 * conflict.
 */
export function usedTwiceBy(
  errors: readonly CueProblem[],
  { stage, id }: Pick<FaultyResource, "stage" | "id">,
  owners: Owners,
): UsedTwice | undefined {
  const isConflict = ({ message }: CueProblem) => message.startsWith("conflicting values ");
  return errors.every(isConflict) ? owners.usedTwice(`${stage}/${id}`) : undefined;
}

/**
 * Reports a conflict between two uses of an adapter once for all their resources, because one fix
 * solves it.
 */
export function usedWithoutGroup(
  { pattern, where, resources }: UsedTwice,
  [first]: readonly CueProblem[],
  { stage }: Pick<FaultyResource, "stage">,
  quoting: Quoting,
): Problem {
  const field = fieldPath(withoutSecrets(pathWithin(first?.path ?? [], stage), quoting));
  return {
    code: "conflicting-values",
    where: places(...where),
    what: `"${pattern}" is used twice, and both uses make ${listed(resources, 3)}, with different values${placeOf(field)}`,
    fix: `Give each use a group of its own (group: NAME beside pattern), so that their resources stay apart, or the same params`,
  };
}

/** Names the adapters that set different values. */
function setters({ message, positions }: CueProblem, owners: Owners): string {
  if (!message.startsWith("conflicting values ")) return "";
  const names = [...new Set(positions.map(owners.at).filter((name) => name !== undefined))];
  return names.length < 2 ? "" : `; ${names.map((name) => `"${name}"`).join(" and ")} set it`;
}

/**
 * Returns the part of `…resources.app.ID.FIELD…` from FIELD on. The id in the path lacks the group
 * of the resource.
 */
function pathWithin(path: CueProblem["path"], stage: Stage): readonly string[] {
  const start = path.findIndex(
    (step, index) => step === stage && ["resources", "defer"].includes(path[index - 1] ?? ""),
  );
  return start < 0 ? path : path.slice(start + 2);
}

function mayQuote({ path, message }: CueProblem, quoting: Quoting): boolean {
  if (path.some(looksSecret) || message.length > longestQuotable) return false;
  return isQuotable(message, quoting) && quotedValues(message).every((each) => each.length <= 62);
}

/**
 * An adapter can make the message arbitrarily long, and the following steps take quadratic time.
 */
const longestQuotable = 2_000;

/**
 * Returns the quoted strings of a message with their quotation marks. Objects and lists are long,
 * or consist of such strings.
 */
function quotedValues(message: string): readonly string[] {
  return message.match(/"(?:[^"\\]|\\.)*"|\{.*\}/gs) ?? [];
}

type Explanation = Pick<Problem, "code" | "what" | "fix">;

const toAgree = "Make them agree: change the param that one of them comes from, or the adapter";
const toComplete = "Give the param that it is made from, or set it in the adapter";
const toCorrect = "Correct the adapter, or the param that this is made from";

function explain({ message, known }: CueProblem, resource: string, field: string): Explanation {
  const place = placeOf(field);
  const conflict = /^conflicting values (.*?)( \(mismatched types .*\))?$/s.exec(message);
  if (conflict !== null) {
    const what = `Resource ${resource} is given two values${place}: ${conflict[1]}`;
    return { code: "conflicting-values", what, fix: toAgree };
  }
  const kind = /^incomplete value (.*)$/s.exec(message)?.[1];
  if (kind !== undefined) {
    const open = kind.includes(" | ")
      ? `must be one of ${kind}, and nothing says which`
      : `has no value (${kind})`;
    const what = `Resource ${resource} is not complete: ${field} ${open}`;
    return { code: "incomplete-value", what, fix: toComplete };
  }
  return notEvaluated(message, known, resource, field);
}

function notEvaluated(
  message: string,
  known: readonly string[] | undefined,
  resource: string,
  field: string,
): Explanation {
  if (message === "field not allowed") {
    const name = /(?<![\w-])[\w-]+(?="?\]?$)/.exec(field)?.[0] ?? field;
    const what = `Resource ${resource} has a field that is not allowed there: ${field}`;
    const meant = closest(
      name,
      (known ?? []).filter((each) => each !== name),
    );
    return {
      code: "unknown-field",
      what,
      fix: meant === undefined ? "Remove it, or correct its name" : `Did you mean "${meant}"?`,
    };
  }
  const said = explainMessage(message, known);
  const what = `Resource ${resource} cannot be evaluated${placeOf(field)}: ${said.what}`;
  return { code: said.code ?? "evaluation-failed", what, fix: said.fix ?? toCorrect };
}

/** Explains the same errors in fixed words, with types instead of values. */
function explainHidden(
  { message, known }: CueProblem,
  resource: string,
  field: string,
): Explanation {
  const place = placeOf(field);
  if (message.startsWith("conflicting values ")) {
    const types = mismatchedTypes(message);
    const kinds = types === undefined ? "" : `, of the types ${types}`;
    const what = `Resource ${resource} is given two values${place}: (hidden)${kinds}`;
    return { code: "conflicting-values", what, fix: toAgree };
  }
  const said = withoutValues(message);
  if (message.startsWith("incomplete value ")) {
    const kind = /^incomplete value (.*)$/.exec(said)?.[1] ?? "hidden";
    const what = `Resource ${resource} is not complete: ${field} has no value (${kind})`;
    return { code: "incomplete-value", what, fix: toComplete };
  }
  return notEvaluated(said, known, resource, field);
}

function placeOf(field: string): string {
  return field === "" ? "" : ` at ${field}`;
}
