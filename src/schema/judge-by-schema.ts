import type { Json, JsonObject } from "../model/json.ts";
import { judgeAlternatives } from "./alternatives.ts";
import { type JudgeContext, judgeByRules } from "./cel-rules.ts";
import { isPlainMetadata, metadataFlaws } from "./embedded.ts";
import { staysAsItWas } from "./ratcheting.ts";
import { emptiedMaps, type Violation, violationsIn } from "./structural.ts";
import { firstUndecided, type Undecided } from "./undecided.ts";

/** The parts of a custom resource that its definition covers. */
export interface Judged {
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
  readonly violations: readonly Violation[];
  /** The first value that only the API server can judge. */
  readonly undecided: Undecided | undefined;
}

const mostSteps = 100_000;

/**
 * Predicts the API server's verdict by the schema of a definition.
 * As in the API server, rules apply only to objects with valid fields and types. Values that a
 * definition no longer allows are rejected only if they change.
 */
export function judgeBySchema(
  { declared, stored, before, isConverted, metadata }: Judged,
  schema: JsonObject,
  { isOpen, budget, hasMisfits }: JudgeContext & { readonly hasMisfits: boolean },
): SchemaVerdict {
  const content = withoutMetadata(stored);
  const former = before === undefined ? undefined : withoutMetadata(before);
  // The API server must be able to merge the declared fields. The result must be valid, whichever
  // field manager declared it.
  const unmergeable = violationsIn(declared, schema, isOpen).filter((each) => each.isUnmergeable);
  const limits = violationsIn(isConverted ? declared : content, schema, isOpen).filter(
    ({ path, isUnmergeable }) => !isUnmergeable && !staysAsItWas(path, content, former, schema),
  );
  const alternatives = judgeAlternatives(content, schema, isOpen);
  const rules = hasMisfits ? undefined : judgeByRules(stored, before, schema, { isOpen, budget });
  const ofRule = rules?.undecided;
  return {
    violations: [
      ...metadataFlaws(metadata),
      ...unmergeable,
      ...limits,
      ...emptiedMaps(content, schema).filter(
        ({ path }) => !staysAsItWas(path, content, former, schema),
      ),
      ...alternatives.missed,
      ...(rules?.broken ?? []),
    ],
    undecided:
      firstUndecided(content, schema, { left: mostSteps }) ??
      ofRule ??
      (alternatives.isWhole ? undefined : { path: [], what: "fits its alternatives" }) ??
      (isPlainMetadata(metadata) ? undefined : { path: ["metadata"], what: "is valid" }),
  };
}

/** Returns the fields that the schema of a kind covers. */
export function withoutMetadata({
  apiVersion: _version,
  kind: _kind,
  metadata: _metadata,
  status: _status,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}
