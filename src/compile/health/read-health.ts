import {
  type DeclaredHealthRule,
  type HealthExpressions,
  type HealthRule,
  healthExpressions,
} from "../../model/health-rule.ts";
import { fieldOf, isList, isObject, type JsonObject } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { groupOf } from "../../model/object.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { Cue, CueValue } from "../../ports/cue.ts";
import type { Adapter } from "../load-adapter.ts";
import { distinctPlaces } from "../positions.ts";
import { withoutValues } from "../problems/without-values.ts";

/** Reads the health rules of an adapter whose parameters are bound. */
export function readHealth(
  bound: CueValue,
  adapter: Adapter,
  cue: Cue,
): Result<readonly DeclaredHealthRule[]> {
  const list = cue.lookup(bound, ["health"]);
  const rules: DeclaredHealthRule[] = [];
  const problems: Problem[] = [];
  const elements = list === undefined ? [] : cue.elements(list);
  if (list !== undefined && elements.length === 0) {
    const where = cue.position(list) ?? adapter.where;
    problems.push(...listErrors(list, cue).map((error) => invalidRule(adapter, where, error)));
  }
  for (const element of elements) {
    const where = cue.position(element) ?? adapter.where;
    const exported = cue.export(element);
    const read = exported.ok
      ? readRule(exported.value, where)
      : (exported.errors[0]?.message ?? "it isn't concrete");
    if (typeof read === "string") problems.push(invalidRule(adapter, where, read));
    else rules.push({ ...read, places: expressionPlaces(element, cue) });
  }
  return problems.length > 0 ? failed(problems) : ok(rules);
}

/** Returns the reason why a list has no elements, if it isn't an empty list. */
function listErrors(list: CueValue, cue: Cue): readonly string[] {
  const { own, parts } = cue.fault(list);
  const errors = [...own, ...parts].map(({ message }) => withoutValues(message));
  if (errors.length > 0) return errors.slice(0, 1);
  const exported = cue.export(list);
  return exported.ok && isList(exported.value) ? [] : ["health isn't a list"];
}

const requiredFields = ["apiVersion", "kind", "current"] as const;
const fields: ReadonlySet<string> = new Set([...requiredFields, ...healthExpressions]);

/** Reads a rule. Returns an error message if it has another form. */
function readRule(value: unknown, where: Position): DeclaredHealthRule | string {
  if (!isObject(value as JsonObject)) return "it isn't a struct";
  const rule = value as JsonObject;
  const unknown = Object.keys(rule).find((name) => !fields.has(name));
  if (unknown !== undefined) return `it has the unknown field "${unknown}"`;
  const missing = requiredFields.find((name) => fieldOf(rule, name) === undefined);
  if (missing !== undefined) return `it lacks the field "${missing}"`;
  const other = Object.entries(rule).find(([, text]) => typeof text !== "string");
  if (other !== undefined) return `its field "${other[0]}" isn't a string`;
  return { ...(rule as unknown as DeclaredHealthRule), where, places: {} };
}

function expressionPlaces(element: CueValue, cue: Cue): DeclaredHealthRule["places"] {
  const places = healthExpressions.flatMap((name) => {
    const value = cue.lookup(element, [name]);
    const position = value === undefined ? undefined : cue.position(value);
    return position === undefined ? [] : [[name, position] as const];
  });
  return Object.fromEntries(places);
}

function invalidRule(adapter: Adapter, where: Position, error: string): Problem {
  return {
    code: "invalid-health-rule",
    where: distinctPlaces(where, adapter.where),
    what: `A health rule of adapter "${adapter.pattern}" is invalid`,
    facts: [{ label: "error", value: error }],
    fix: "Write {apiVersion: …, kind: …, current: …} with expressions in CEL",
  };
}

/**
 * Returns one rule per kind (docs/reference/health-rules.md#own-rules).
 * A rule of the config wins over those of adapters. Other rules for one kind must be equal.
 */
export function unifyHealth(
  ofAdapters: readonly DeclaredHealthRule[],
  ofConfig: readonly DeclaredHealthRule[],
): Result<readonly HealthRule[]> {
  const problems: Problem[] = [];
  const configured = collect(ofConfig, problems);
  const declared = collect(
    ofAdapters.filter((rule) => !configured.has(kindOf(rule))),
    problems,
  );
  if (problems.length > 0) return failed(problems);
  const all = [...configured, ...declared].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return ok(all.map(([, rule]) => toHealthRule(rule)));
}

function kindOf({ apiVersion, kind }: DeclaredHealthRule): string {
  return kindKey({ group: groupOf(apiVersion), kind });
}

function collect(
  rules: readonly DeclaredHealthRule[],
  problems: Problem[],
): ReadonlyMap<string, DeclaredHealthRule> {
  const byKind = new Map<string, DeclaredHealthRule>();
  for (const rule of rules) {
    const known = byKind.get(kindOf(rule));
    if (known === undefined) byKind.set(kindOf(rule), rule);
    else if (!isSameRule(known, rule)) problems.push(conflict(known, rule));
  }
  return byKind;
}

function isSameRule(a: HealthExpressions, b: HealthExpressions): boolean {
  return healthExpressions.every((name) => a[name] === b[name]);
}

function conflict(first: DeclaredHealthRule, second: DeclaredHealthRule): Problem {
  return {
    code: "conflicting-health-rules",
    where: [second.where, first.where],
    what: `${second.kind} has two different health rules`,
    fix: "Remove one of the two rules",
    otherwise: ["set the rule of the kind in the config: it wins over the rules of adapters"],
  };
}

function toHealthRule(rule: DeclaredHealthRule): HealthRule {
  const expressions = healthExpressions.flatMap((name) => {
    const text = rule[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    groups: [groupOf(rule.apiVersion)],
    kinds: [rule.kind],
    current: rule.current,
    ...Object.fromEntries(expressions),
    source: `${rule.where.file}:${rule.where.line}`,
  };
}
