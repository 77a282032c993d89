import { fieldPath } from "../../model/fields/field-path.ts";
import {
  distinct,
  type Fact,
  type Position,
  type Problem,
  type UnplacedProblem,
} from "../../model/problems/problem.ts";
import { formatPosition } from "../../model/problems/problem-text.ts";
import type { Stage } from "../../model/sources/compilation.ts";
import { closest, summarizeList } from "../../model/text/suggest.ts";
import type { CueProblem } from "../../ports/cue.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import type { AdapterLookup, RepeatedUse } from "../adapter-lookup.ts";
import { distinctPlaces } from "../positions.ts";
import { explainProblem } from "./explain-problem.ts";
import { hideSecretSteps, isQuotable, type Quoting } from "./quoting.ts";
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
  owners: AdapterLookup,
): readonly Problem[] {
  const byField = Map.groupBy(errors, ({ path }) =>
    fieldPath(hideSecretSteps(pathWithin(path, stage), quoting)),
  );
  return [...byField].map(([field, [first]]) => {
    const error = first as CueProblem;
    const subject = { name: `Resource ${stage}/${id}`, field };
    const explained =
      !isSecret && mayQuote(error, quoting)
        ? explain(error, subject, owners)
        : explainHidden(error, subject);
    // CUE gives no place for a value that isn't concrete in a disjunction or a cycle. Its resource
    // has a place.
    const where =
      error.positions.length > 0 ? distinctPlaces(...error.positions) : distinctPlaces(position);
    const facts = [...(explained.facts ?? []), ...setByFacts(error, owners)];
    return { ...explained, where, ...(facts.length === 0 ? {} : { facts }) };
  });
}

/**
 * Returns the adapter whose two uses conflict. Returns undefined if one of the errors isn't a
 * conflict.
 */
export function conflictingUse(
  errors: readonly CueProblem[],
  { stage, id }: Pick<FaultyResource, "stage" | "id">,
  owners: AdapterLookup,
): RepeatedUse | undefined {
  const isConflict = ({ message }: CueProblem) => message.startsWith("conflicting values ");
  return errors.every(isConflict) ? owners.repeatedUse(`${stage}/${id}`) : undefined;
}

/**
 * Reports a conflict between two uses of an adapter once for all their resources, because one fix
 * solves it.
 */
export function repeatedUseProblem(
  { pattern, where, resources }: RepeatedUse,
  [first]: readonly CueProblem[],
  { stage }: Pick<FaultyResource, "stage">,
  quoting: Quoting,
): Problem {
  const field = fieldPath(hideSecretSteps(pathWithin(first?.path ?? [], stage), quoting));
  return {
    code: "conflicting-values",
    where: distinctPlaces(...where),
    what: `Adapter "${pattern}" is used twice with different values`,
    facts: [
      { label: "resources", value: summarizeList(resources, 3) },
      ...(field === "" ? [] : [{ label: "path", value: field }]),
    ],
    why: "Both uses produce the same resources",
    fix: "Add `group: NAME` next to pattern in one of them: it separates their resources and doesn't rename objects",
    otherwise: ["give both uses the same params if they mean the same objects"],
  };
}

/** Names the adapters that set different values, in the order of the values if it is known. */
function setByFacts(error: CueProblem, owners: AdapterLookup): readonly Fact[] {
  const values = conflictIn(error.message);
  if (values === undefined) return [];
  const { first, second } = argumentsIn(values, error, owners);
  const [one, two] = [first, second].map((each) => each && owners.adapterAt(each.place));
  const others = error.positions.map(owners.adapterAt).filter((name) => name !== two);
  const names = [...new Set([one, ...others, two])].filter((name) => name !== undefined);
  const value = names.map((name) => `"${name}"`).join(" and ");
  return names.length < 2 ? [] : [{ label: "set by", value }];
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
  if (path.some(isSensitiveName) || message.length > maxQuotableLength) return false;
  return isQuotable(message, quoting) && quotedValues(message).every((each) => each.length <= 62);
}

/**
 * An adapter can make the message arbitrarily long, and the following steps take quadratic time.
 */
const maxQuotableLength = 2_000;

/**
 * Returns the quoted strings of a message with their quotation marks. Objects and lists are long,
 * or consist of such strings.
 */
function quotedValues(message: string): readonly string[] {
  return message.match(/"(?:[^"\\]|\\.)*"|\{.*\}/gs) ?? [];
}

interface ResourceSubject {
  /** Such as `Resource app/web`. */
  readonly name: string;
  /** The path of the field; empty for the whole resource. */
  readonly field: string;
}

const conflictFixes = {
  fix: "Change the parameter that one of the values comes from",
  otherwise: ["change the adapter"],
};
const missingValueFixes = {
  fix: "Set the parameter that it is made from",
  otherwise: ["set it in the adapter"],
};
const evaluationFixes = {
  fix: "Correct the adapter",
  otherwise: ["correct the parameter that it is made from"],
};

function explain(
  error: CueProblem,
  subject: ResourceSubject,
  owners: AdapterLookup,
): UnplacedProblem {
  const { message, known } = error;
  const values = conflictIn(message);
  if (values !== undefined) {
    const value = withPlaces(values, argumentsIn(values, error, owners));
    return conflictExplanation(subject, [{ label: "values", value }]);
  }
  const kind = /^incomplete value (.*)$/s.exec(message)?.[1];
  if (kind?.includes(" | ")) {
    return {
      code: "incomplete-value",
      what: `${subjectName(subject)} has several possible values`,
      facts: [{ label: "allowed", value: kind }],
      ...missingValueFixes,
    };
  }
  return kind === undefined
    ? evaluationExplanation({ message, known: known ?? [] }, subject)
    : noValueExplanation(subject, kind);
}

/** Returns the two values of a conflict, such as `5 and 2`. */
function conflictIn(message: string): string | undefined {
  return /^conflicting values (.*?)(?: \(mismatched types .*\))?$/s.exec(message)?.[1];
}

/** An argument in the config that is one of the two values. */
interface Argument {
  readonly text: string;
  readonly place: Position;
}

interface ConflictingArguments {
  readonly first: Argument | undefined;
  readonly second: Argument | undefined;
}

/** Returns the arguments that are the conflicting values, if exactly one place has each value. */
function argumentsIn(
  values: string,
  { positions }: CueProblem,
  owners: AdapterLookup,
): ConflictingArguments {
  const all = distinct(positions).flatMap((place): readonly Argument[] => {
    const value = owners.argumentAt(place);
    return value === undefined ? [] : [{ text: JSON.stringify(value), place }];
  });
  const only = (isMeant: (text: string) => boolean) => {
    const [found, ...others] = all.filter(({ text }) => isMeant(text));
    return others.length === 0 ? found : undefined;
  };
  return {
    first: only((text) => values.startsWith(`${text} and `)),
    second: only((text) => values.endsWith(` and ${text}`)),
  };
}

/** Adds the place of each argument: `5 (.valuestream/qvs.yaml:12:17) and 2`. */
function withPlaces(values: string, { first, second }: ConflictingArguments): string {
  const shown = ({ text, place }: Argument) => `${text} (${formatPosition(place)})`;
  const start = first === undefined ? 0 : first.text.length;
  const end = values.length - (second === undefined ? 0 : second.text.length);
  if (start > end) return values;
  const between = values.slice(start, end);
  return `${first ? shown(first) : ""}${between}${second ? shown(second) : ""}`;
}

function conflictExplanation(subject: ResourceSubject, facts: readonly Fact[]): UnplacedProblem {
  const what = `${subjectName(subject)} has two different values`;
  return { code: "conflicting-values", what, facts, ...conflictFixes };
}

function noValueExplanation(subject: ResourceSubject, type: string): UnplacedProblem {
  return {
    code: "incomplete-value",
    what: `${subjectName(subject)} has no value`,
    facts: [{ label: "type", value: type }],
    ...missingValueFixes,
  };
}

function evaluationExplanation(
  { message, known }: Required<Pick<CueProblem, "message" | "known">>,
  subject: ResourceSubject,
): UnplacedProblem {
  if (message !== "field not allowed") {
    const fallback = { code: "evaluation-failed", fact: "can't be evaluated" } as const;
    return explainProblem({ message, known }, subject, { ...fallback, ...evaluationFixes });
  }
  const { name, field } = subject;
  const last = /(?<![\w-])[\w-]+(?="?\]?$)/.exec(field)?.[0] ?? field;
  const meant = closest(
    last,
    known.filter((each) => each !== last),
  );
  return {
    code: "unknown-field",
    what: `${name}: field ${field} isn't allowed`,
    ...(meant === undefined
      ? { fix: "Remove it", otherwise: ["correct its name"] }
      : { fix: `Did you mean "${meant}"?` }),
  };
}

/** Explains the same errors in fixed words, with types instead of values. */
function explainHidden({ message, known }: CueProblem, subject: ResourceSubject): UnplacedProblem {
  if (message.startsWith("conflicting values ")) {
    const types = mismatchedTypes(message);
    return conflictExplanation(subject, [
      { label: "values", value: "(hidden)" },
      ...(types === undefined ? [] : [{ label: "types", value: types }]),
    ]);
  }
  const shown = withoutValues(message);
  return message.startsWith("incomplete value ")
    ? noValueExplanation(subject, /^incomplete value (.*)$/.exec(shown)?.[1] ?? "hidden")
    : evaluationExplanation({ message: shown, known: known ?? [] }, subject);
}

function subjectName({ name, field }: ResourceSubject): string {
  return field === "" ? name : `${name}: ${field}`;
}
