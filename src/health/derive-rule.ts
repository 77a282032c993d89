import type { HealthExpressions } from "../model/health-rule.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { meaningOfType, meaningOfWord } from "./word-meanings.ts";

/** The facts about a kind from which a rule follows. */
export interface KindEvidence {
  /** The schema of the kind; undefined if it can't be read. */
  readonly schema: JsonObject | undefined;
  /** The entries of `additionalPrinterColumns`, which name the important conditions. */
  readonly columns: readonly Json[];
  /** The types of the conditions in live objects of the kind. */
  readonly liveTypes: readonly string[];
}

/** A health rule that a user can paste. */
export interface DerivedRule extends Pick<HealthExpressions, "failed" | "current"> {
  /**
   * The origin of its names. `guess` means that the schema contains no such value. `any status`
   * means that the rule waits only until the controller has written a status.
   */
  readonly basis: "schema" | "guess" | "any status";
}

/**
 * Derives a health rule from the schema of a status, for a kind without a rule.
 * The first evidence decides: a main condition, an enum for the state, counts of replicas, a
 * boolean, an observed generation, then the existence of a status.
 */
export function deriveRule(facts: KindEvidence): DerivedRule {
  const status = at(facts.schema, "properties", "status");
  return (
    ruleByCondition(status, facts) ??
    ruleByWord(status) ??
    ruleByReplicas(status, facts.schema) ??
    ruleByBoolean(status) ??
    ruleByGeneration(status) ??
    (hasConditions(status) ? guessedCondition : ruleByStatus)
  );
}

function property(schema: Json | undefined, name: string): Json | undefined {
  return at(schema, "properties", name);
}

function hasConditions(status: Json | undefined): boolean {
  return textAt(property(status, "conditions"), "type") === "array";
}

/** Names that can stand in an expression and in YAML without an escape. */
const plainWord = /^[A-Za-z][\w.-]*$/;

function plainWords(values: readonly (Json | undefined)[]): readonly string[] {
  const words = values.filter((each) => typeof each === "string" && plainWord.test(each));
  return [...new Set(words as readonly string[])].slice(0, maxWords);
}

const maxWords = 20;

/** The types of conditions that decide about the whole object, the best first. */
const mainTypes = ["Ready", "Available", "Healthy", "Succeeded", "Complete", "Completed", "Synced"];

function ruleByCondition(
  status: Json | undefined,
  { columns, liveTypes }: KindEvidence,
): DerivedRule | undefined {
  const conditions = property(status, "conditions");
  const types = plainWords([
    ...listAt(at(conditions, "items"), "properties", "type", "enum"),
    ...listAt(conditions, "default").map((each) => textAt(each, "type")),
    ...columns.flatMap((each) => conditionsInPath(textAt(each, "jsonPath") ?? "")),
    ...liveTypes,
  ]);
  const main =
    mainTypes.find((type) => types.includes(type)) ??
    types.find((type) => meaningOfType(type) === "ready");
  if (main === undefined) return undefined;
  const problems = types.filter((type) => meaningOfType(type) === "failed");
  return {
    ...(problems.length === 0 ? {} : { failed: isTrue(`c.type in ${quoteAll(problems)}`) }),
    current: isTrue(`c.type == '${main}'`),
    basis: "schema",
  };
}

const guessedCondition: DerivedRule = { current: isTrue("c.type == 'Ready'"), basis: "guess" };

function isTrue(filter: string): string {
  return `status.conditions.exists(c, ${filter} && c.status == 'True')`;
}

function conditionsInPath(path: string): readonly string[] {
  return [...path.matchAll(/conditions\[\?\(@\.type\s*==\s*['"]([^'"]+)['"]\)\]/g)].map(
    ([, type = ""]) => type,
  );
}

/** The fields that contain one word for the state of the whole object. */
const wordFields = ["phase", "state", "status", "health", "currentState", "currentPhase"];

function ruleByWord(status: Json | undefined): DerivedRule | undefined {
  for (const name of wordFields) {
    const words = plainWords(listAt(property(status, name), "enum"));
    const ready = withoutWork(words.filter((word) => meaningOfWord(word) === "ready"));
    const failed = words.filter((word) => meaningOfWord(word) === "failed");
    if (ready.length === 0) continue;
    return {
      ...(failed.length === 0 ? {} : { failed: isOneOf(name, failed) }),
      current: isOneOf(name, ready),
      basis: "schema",
    };
  }
  const free = wordFields.find((name) => textAt(property(status, name), "type") === "string");
  const isGuessed = free !== undefined && !hasConditions(status);
  return isGuessed ? { current: isOneOf(free, ["Ready"]), basis: "guess" } : undefined;
}

/** Leaves out words such as `Running` next to `Ready`: the controller might still work then. */
function withoutWork(words: readonly string[]): readonly string[] {
  const done = words.filter((word) => !/^(running|active|working|enabled|new)$/i.test(word));
  return done.length === 0 ? words : done;
}

function isOneOf(field: string, words: readonly string[]): string {
  const [first = "", ...others] = words;
  return others.length === 0
    ? `status.${field} == '${first}'`
    : `status.${field} in ${quoteAll(words)}`;
}

function quoteAll(words: readonly string[]): string {
  return `[${words.map((word) => `'${word}'`).join(", ")}]`;
}

const replicaFields = ["availableReplicas", "readyReplicas"];

function ruleByReplicas(
  status: Json | undefined,
  schema: JsonObject | undefined,
): DerivedRule | undefined {
  const count = replicaFields.find((name) => property(status, name) !== undefined);
  const isCounted = isObject(property(property(schema, "spec"), "replicas"));
  if (count === undefined || !isCounted) return undefined;
  // Go omits a count of 0.
  return { current: `status.?${count}.orValue(0) >= spec.replicas`, basis: "schema" };
}

function ruleByBoolean(status: Json | undefined): DerivedRule | undefined {
  const name = ["ready", "healthy", "available"].find(
    (each) => textAt(property(status, each), "type") === "boolean",
  );
  return name === undefined ? undefined : { current: `status.${name}`, basis: "schema" };
}

function ruleByGeneration(status: Json | undefined): DerivedRule | undefined {
  const isNumber = textAt(property(status, "observedGeneration"), "type") === "integer";
  if (!isNumber || hasConditions(status)) return undefined;
  return { current: "status.observedGeneration >= metadata.generation", basis: "schema" };
}

/** Waits until the controller has written a status, without a limit of its own. */
const ruleByStatus: DerivedRule = { current: "has(self.status)", basis: "any status" };
