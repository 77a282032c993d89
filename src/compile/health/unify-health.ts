import {
  type DeclaredHealthRule,
  type HealthExpressions,
  type HealthRule,
  healthExpressions,
} from "../../model/health-rule.ts";
import { kindKey } from "../../model/kinds.ts";
import { groupOf } from "../../model/object.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";

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
