import type { Json, JsonObject } from "../model/json.ts";
import { judgeAlternatives } from "./alternatives.ts";
import { type JudgeContext, judgeByRules } from "./cel-rules.ts";
import { isPlainMetadata, metadataFlaws } from "./embedded.ts";
import { staysAsItWas } from "./ratcheting.ts";
import { emptiedMaps, type Violation, violationsIn } from "./structural.ts";
import { firstUndecided, type Undecided } from "./undecided.ts";

/** A custom resource, in what its definition says something of. */
export interface Judged {
  /** As it is declared, without its metadata. */
  readonly declared: JsonObject;
  /** As the server would store it, with apiVersion, kind and metadata. */
  readonly stored: JsonObject;
  /** The same of what is live; undefined where nothing is, or in another version. */
  readonly before: JsonObject | undefined;
  /** What is live is in another version: nobody can tell then whether what others hold is as it was. */
  readonly isConverted: boolean;
  readonly metadata: Json | undefined;
}

export interface SchemaVerdict {
  readonly violations: readonly Violation[];
  /** The first that only the server can tell. */
  readonly undecided: Undecided | undefined;
}

const mostSteps = 100_000;

/**
 * What the server will say by the schema of a definition. As there, only what has the right fields and types is judged by rules, and what a
 * definition no longer allows is refused only where it changes.
 */
export function judgeBySchema(
  { declared, stored, before, isConverted, metadata }: Judged,
  schema: JsonObject,
  { isOpen, budget, hasMisfits }: JudgeContext & { readonly hasMisfits: boolean },
): SchemaVerdict {
  const content = withoutMetadata(stored);
  const former = before === undefined ? undefined : withoutMetadata(before);
  // What is declared has to be merged, and what comes of that has to be valid, whoever declared it.
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

/** What the schema of a kind is about. */
export function withoutMetadata({
  apiVersion: _version,
  kind: _kind,
  metadata: _metadata,
  status: _status,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}
