import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import { holdsOpen } from "./cel-rules.ts";
import { limitsOf } from "./limits.ts";
import { isOfType, partsOf, type Violation, violationsIn } from "./structural.ts";
import { hasUndecidedAlternative, type Steps } from "./undecided.ts";

/** The maximum number of violations for one object. More don't help a user. */
const mostOfOne = 20;

export interface AlternativesVerdict {
  readonly missed: readonly Violation[];
  /** True if qvs could decide every alternative. */
  readonly isWhole: boolean;
}

/**
 * Finds the values that don't satisfy `allOf`, `anyOf`, `oneOf` and `not`.
 * The value must be as the API server would store it, because defaults decide which alternative
 * fits.
 */
export function judgeAlternatives(
  value: Json,
  schema: JsonObject,
  isOpen: (value: Json) => boolean,
): AlternativesVerdict {
  const context: Context = {
    isOpen,
    steps: { left: mostSteps },
    looks: { left: mostSteps },
    passedOver: [],
  };
  const missed = [...missedAt(value, schema, [], context).take(mostOfOne)];
  return { missed, isWhole: context.passedOver.length === 0 && context.steps.left > 0 };
}

/**
 * The maximum number of comparisons with an alternative, for one object.
 * A definition can have thousands of alternatives for each of thousands of items.
 */
const mostSteps = 100_000;

interface Context {
  readonly isOpen: (value: Json) => boolean;
  /** The steps left. At 0, qvs reports no more violations, because they might be wrong. */
  readonly steps: Steps;
  /** The steps left for finding out whether an alternative can be decided. */
  readonly looks: Steps;
  /** The paths that qvs can't decide. */
  readonly passedOver: (readonly string[])[];
}

function* missedAt(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
  context: Context,
): Generator<Violation> {
  const { isOpen, steps, passedOver } = context;
  if (value === null || steps.left <= 0) return;
  const hasAny = junctors.some((name) => name in schema);
  const isDecided =
    !hasAny || !(holdsOpen(value, isOpen) || hasUndecidedAlternative(value, schema, context.looks));
  if (!isDecided) passedOver.push(path);
  if (hasAny && isDecided) {
    for (const part of schemasIn(schema, "allOf")) {
      for (const { path: below, what } of violationsIn(value, part, isOpen))
        yield { path: [...path, ...below], what };
      yield* missedAt(value, part, path, context);
    }
    for (const what of missedHere(value, schema, steps)) if (steps.left > 0) yield { path, what };
  }
  for (const { name, part, below } of partsOf(value, schema)) {
    yield* missedAt(part, below, [...path, name], context);
  }
}

const junctors = ["allOf", "anyOf", "oneOf", "not"] as const;

function missedHere(value: Json, schema: JsonObject, steps: Steps): readonly string[] {
  const fittingIn = (name: string) =>
    schemasIn(schema, name).filter((each) => isValid(value, each, steps)).length;
  const { anyOf, oneOf, not } = schema;
  const ofOne = isList(oneOf) ? fittingIn("oneOf") : 1;
  return [
    ...(isList(anyOf) && fittingIn("anyOf") === 0
      ? ["fits none of the alternatives of its definition (anyOf)"]
      : []),
    ...(ofOne === 0 ? ["fits none of the alternatives of its definition (oneOf)"] : []),
    ...(ofOne > 1
      ? [`fits ${ofOne} alternatives of its definition, which allows only one of them (oneOf)`]
      : []),
    ...(isObject(not) && isValid(value, not, steps)
      ? ["is what its definition rules out (not)"]
      : []),
  ];
}

/**
 * Reports whether a value fits a schema completely, with its required fields and types.
 * No other check covers those within alternatives.
 */
function isValid(value: Json, schema: JsonObject, steps: Steps): boolean {
  steps.left -= 1;
  return (
    steps.left > 0 &&
    isOfType(value, textAt(schema, "type")) &&
    listAt(schema, "required").every(
      (name) => typeof name !== "string" || !isObject(value) || fieldOf(value, name) !== undefined,
    ) &&
    limitsOf(value, schema).length === 0 &&
    schemasIn(schema, "allOf").every((each) => isValid(value, each, steps)) &&
    missedHere(value, schema, steps).length === 0 &&
    partsOf(value, schema).every(({ part, below }) => isValid(part, below, steps))
  );
}

function schemasIn(schema: JsonObject, name: string): readonly JsonObject[] {
  return listAt(schema, name).filter(isObject);
}
