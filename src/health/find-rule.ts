import type { HealthRule } from "../model/health-rule.ts";
import { type GroupKind, kindKey } from "../model/kinds.ts";

type RuleLookup = (kind: GroupKind) => HealthRule | undefined;

/**
 * Indexes rules by kind. The most specific rule wins: the group and the kind by name, then the
 * group by its suffix, then all kinds of a group.
 */
export function indexRules(rules: readonly HealthRule[]): RuleLookup {
  const exact = new Map<string, HealthRule>();
  const bySuffix: { readonly suffix: string; readonly kind: string; readonly rule: HealthRule }[] =
    [];
  for (const rule of rules) {
    for (const group of rule.groups) {
      for (const kind of rule.kinds) {
        if (group.startsWith("*.")) bySuffix.push({ suffix: group.slice(1), kind, rule });
        else if (!exact.has(kindKey({ group, kind }))) exact.set(kindKey({ group, kind }), rule);
      }
    }
  }
  const matchSuffix = (group: string, kind: string) =>
    bySuffix.find((each) => each.kind === kind && group.endsWith(each.suffix))?.rule;
  return ({ group, kind }) =>
    exact.get(kindKey({ group, kind })) ??
    matchSuffix(group, kind) ??
    exact.get(kindKey({ group, kind: allKinds })) ??
    matchSuffix(group, allKinds);
}

const allKinds = "*";
