import { isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { matchesPattern } from "../model/text/pattern.ts";
import { isEmbedded, isPlainMetadata } from "./embedded.ts";
import { hasFormat } from "./formats.ts";
import { schemaChildren } from "./structural.ts";

/**
 * The steps of work left for everything that qvs computes from the manifests of a plan.
 * Each computation reduces them.
 */
export interface WorkBudget {
  left: number;
}

/** The budget for all objects of a plan: some ten seconds, whatever the manifests contain. */
const maxPlanWork = 200_000_000;

export function createPlanBudget(): WorkBudget {
  return { left: maxPlanWork };
}

/** A value that only the API server can judge. */
export interface Undecided {
  readonly path: readonly string[];
  /** Completes the clause "whether spec.replicas …" of a message. */
  readonly what: string;
}

/** The number of values to visit for one object. Alternatives of a definition multiply them. */
export interface StepBudget {
  left: number;
}

/**
 * Returns the first format, pattern or embedded object that qvs can't judge.
 * It doesn't check alternatives.
 */
export function firstUndecided(
  value: Json,
  schema: JsonObject,
  steps: StepBudget,
  path: readonly string[] = [],
): Undecided | undefined {
  steps.left -= 1;
  const what = steps.left > 0 ? undecidedReason(value, schema) : "matches its definition";
  if (what !== undefined) return { path, what };
  for (const { name, part, below } of schemaChildren(value, schema)) {
    const found = firstUndecided(part, below, steps, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reports whether qvs can't decide which alternatives a value fits. */
export function hasUndecidedAlternative(
  value: Json,
  schema: JsonObject,
  steps: StepBudget,
): boolean {
  return combinators
    .flatMap((name) => toSchemaList(schema[name]))
    .some(
      (part) =>
        firstUndecided(value, part, steps) !== undefined ||
        hasUndecidedAlternative(value, part, steps),
    );
}

const combinators = ["allOf", "anyOf", "oneOf", "not"] as const;

function toSchemaList(parts: Json | undefined): readonly JsonObject[] {
  return isObject(parts) ? [parts] : listAt({ parts: parts ?? null }, "parts").filter(isObject);
}

function undecidedReason(value: Json, schema: JsonObject): string | undefined {
  if (isEmbedded(schema) && isObject(value) && !isPlainMetadata(value["metadata"])) {
    return "has valid metadata";
  }
  if (typeof value !== "string") return undefined;
  const [format, pattern] = [textAt(schema, "format"), textAt(schema, "pattern")];
  if (format !== undefined && hasFormat(value, format) === undefined) {
    return `has the format ${format}`;
  }
  const isMatched = pattern === undefined ? true : matchesPattern(value, pattern);
  return isMatched === undefined ? `matches ${pattern}` : undefined;
}
