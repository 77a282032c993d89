import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import { evaluateRules, hasUnknown, type ValidationContext } from "./cel-rules.ts";
import { isPlainMetadata, metadataViolations } from "./embedded.ts";
import { limitViolations } from "./limits.ts";
import {
  emptiedMaps,
  hasType,
  isUnchanged,
  schemaChildren,
  type ValueViolation,
  valueViolations,
} from "./structural.ts";
import {
  firstUndecided,
  hasUndecidedAlternative,
  type StepBudget,
  type Undecided,
} from "./undecided.ts";

/** The parts of a custom resource that its definition covers. */
interface ValidationInput {
  /** The manifest without its metadata. */
  readonly declared: JsonObject;
  /** The object as the API server would store it, with apiVersion, kind and metadata. */
  readonly stored: JsonObject;
  /** The live object in the same form. Undefined if none exists, or if it has another version. */
  readonly before: JsonObject | undefined;
  /**
   * True if the live object has another version.
   * qvs then can't know whether the values of other field managers stay the same.
   */
  readonly isConverted: boolean;
  readonly metadata: Json | undefined;
}

interface SchemaVerdict {
  readonly violations: readonly ValueViolation[];
  /** The first value that only the API server can judge. */
  readonly undecided: Undecided | undefined;
}

const maxSteps = 100_000;

/**
 * Predicts the API server's verdict by the schema of a definition.
 * As in the API server, rules apply only to objects with valid fields and types. Values that a
 * definition no longer allows are rejected only if they change.
 */
export function validateBySchema(
  { declared, stored, before, isConverted, metadata }: ValidationInput,
  schema: JsonObject,
  {
    isOpen,
    budget,
    hasMisfits: hasSchemaViolations,
  }: ValidationContext & { readonly hasMisfits: boolean },
): SchemaVerdict {
  const content = withoutCommonFields(stored);
  const previous = before === undefined ? undefined : withoutCommonFields(before);
  // The API server must be able to merge the declared fields. The result must be valid, whichever
  // field manager declared it.
  const unmergeable = valueViolations(declared, schema, isOpen).filter(
    (each) => each.isUnmergeable,
  );
  const limits = valueViolations(isConverted ? declared : content, schema, isOpen).filter(
    ({ path, isUnmergeable }) => !isUnmergeable && !isUnchanged(path, content, previous, schema),
  );
  const alternatives = checkAlternatives(content, schema, isOpen);
  const rules = hasSchemaViolations
    ? undefined
    : evaluateRules(stored, before, schema, { isOpen, budget });
  const undecidedRule = rules?.undecided;
  return {
    violations: [
      ...metadataViolations(metadata),
      ...unmergeable,
      ...limits,
      ...emptiedMaps(content, schema).filter(
        ({ path }) => !isUnchanged(path, content, previous, schema),
      ),
      ...alternatives.violations,
      ...(rules?.broken ?? []),
    ],
    undecided:
      firstUndecided(content, schema, { left: maxSteps }) ??
      undecidedRule ??
      (alternatives.isComplete ? undefined : { path: [], what: "matches its alternatives" }) ??
      (isPlainMetadata(metadata) ? undefined : { path: ["metadata"], what: "is valid" }),
  };
}

/** Returns the fields that the schema of a kind covers. */
export function withoutCommonFields({
  apiVersion: _version,
  kind: _kind,
  metadata: _metadata,
  status: _status,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}

/** The maximum number of violations for one object. More don't help a user. */
const maxViolations = 20;

interface AlternativesVerdict {
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
    steps: { left: maxAlternativeSteps },
    probeSteps: { left: maxAlternativeSteps },
    undecidedPaths: [],
  };
  const violations = [...collectViolations(value, schema, [], context).take(maxViolations)];
  return { violations, isComplete: context.undecidedPaths.length === 0 && context.steps.left > 0 };
}

/**
 * The maximum number of comparisons with an alternative, for one object.
 * A definition can have thousands of alternatives for each of thousands of items.
 */
const maxAlternativeSteps = 100_000;

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
