import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import { hasUnknown } from "./cel-rules.ts";
import { limitViolations } from "./limits.ts";
import { hasType, schemaChildren, type ValueViolation, valueViolations } from "./structural.ts";
import { hasUndecidedAlternative, type StepBudget } from "./undecided.ts";

/** The maximum number of violations for one object. More don't help a user. */
const maxViolations = 20;

export interface AlternativesVerdict {
  readonly violations: readonly ValueViolation[];
  /** True if qvs could decide every alternative. */
  readonly isComplete: boolean;
}

/**
 * Finds the values that don't satisfy `allOf`, `anyOf`, `oneOf` and `not`.
 * The value must be as the API server would store it, because defaults decide which alternative
 * fits.
 */
export function checkAlternatives(
  value: Json,
  schema: JsonObject,
  isOpen: (value: Json) => boolean,
): AlternativesVerdict {
  const context: AlternativesContext = {
    isOpen,
    steps: { left: maxSteps },
    probeSteps: { left: maxSteps },
    undecidedPaths: [],
  };
  const violations = [...collectViolations(value, schema, [], context).take(maxViolations)];
  return { violations, isComplete: context.undecidedPaths.length === 0 && context.steps.left > 0 };
}

/**
 * The maximum number of comparisons with an alternative, for one object.
 * A definition can have thousands of alternatives for each of thousands of items.
 */
const maxSteps = 100_000;

interface AlternativesContext {
  readonly isOpen: (value: Json) => boolean;
  /** The steps left. At 0, qvs reports no more violations, because they might be wrong. */
  readonly steps: StepBudget;
  /** The steps left for finding out whether an alternative can be decided. */
  readonly probeSteps: StepBudget;
  /** The paths that qvs can't decide. */
  readonly undecidedPaths: (readonly string[])[];
}

function* collectViolations(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
  context: AlternativesContext,
): Generator<ValueViolation> {
  const { isOpen, steps, undecidedPaths } = context;
  if (value === null || steps.left <= 0) return;
  const hasAny = combinators.some((name) => name in schema);
  const isDecided =
    !hasAny ||
    !(hasUnknown(value, isOpen) || hasUndecidedAlternative(value, schema, context.probeSteps));
  if (!isDecided) undecidedPaths.push(path);
  if (hasAny && isDecided) {
    for (const part of subschemas(schema, "allOf")) {
      for (const { path: below, what } of valueViolations(value, part, isOpen))
        yield { path: [...path, ...below], what };
      yield* collectViolations(value, part, path, context);
    }
    for (const what of alternativeViolations(value, schema, steps))
      if (steps.left > 0) yield { path, what };
  }
  for (const { name, part, below } of schemaChildren(value, schema)) {
    yield* collectViolations(part, below, [...path, name], context);
  }
}

const combinators = ["allOf", "anyOf", "oneOf", "not"] as const;

function alternativeViolations(
  value: Json,
  schema: JsonObject,
  steps: StepBudget,
): readonly string[] {
  const countMatches = (name: string) =>
    subschemas(schema, name).filter((each) => matchesSchema(value, each, steps)).length;
  const { anyOf, oneOf, not } = schema;
  const oneOfMatches = isList(oneOf) ? countMatches("oneOf") : 1;
  return [
    ...(isList(anyOf) && countMatches("anyOf") === 0
      ? ["matches none of the alternatives in its definition (anyOf)"]
      : []),
    ...(oneOfMatches === 0 ? ["matches none of the alternatives in its definition (oneOf)"] : []),
    ...(oneOfMatches > 1
      ? [`matches ${oneOfMatches} alternatives in its definition, which allows only one (oneOf)`]
      : []),
    ...(isObject(not) && matchesSchema(value, not, steps)
      ? ["matches a schema that its definition excludes (not)"]
      : []),
  ];
}

/**
 * Reports whether a value fits a schema completely, with its required fields and types.
 * No other check covers those within alternatives.
 */
function matchesSchema(value: Json, schema: JsonObject, steps: StepBudget): boolean {
  steps.left -= 1;
  return (
    steps.left > 0 &&
    hasType(value, textAt(schema, "type")) &&
    listAt(schema, "required").every(
      (name) => typeof name !== "string" || !isObject(value) || fieldOf(value, name) !== undefined,
    ) &&
    limitViolations(value, schema).length === 0 &&
    subschemas(schema, "allOf").every((each) => matchesSchema(value, each, steps)) &&
    alternativeViolations(value, schema, steps).length === 0 &&
    schemaChildren(value, schema).every(({ part, below }) => matchesSchema(part, below, steps))
  );
}

function subschemas(schema: JsonObject, name: string): readonly JsonObject[] {
  return listAt(schema, name).filter(isObject);
}
