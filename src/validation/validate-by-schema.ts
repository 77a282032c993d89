import type { Json, JsonObject } from "../model/json.ts";
import { checkAlternatives } from "./alternatives.ts";
import { evaluateRules, type ValidationContext } from "./cel-rules.ts";
import { isPlainMetadata, metadataViolations } from "./embedded.ts";
import { emptiedMaps, isUnchanged, type ValueViolation, valueViolations } from "./structural.ts";
import { firstUndecided, type Undecided } from "./undecided.ts";

/** The parts of a custom resource that its definition covers. */
export interface ValidationInput {
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

export interface SchemaVerdict {
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
