import type { HealthRule } from "../model/health-rule.ts";
import { at, fieldOf, isObject, type JsonObject } from "../model/json.ts";
import { type GroupKind, kindKey } from "../model/kinds.ts";
import { closest } from "../model/text/suggest.ts";
import { listReadFields } from "../validation/check-cel.ts";

export type HealthState = "ready" | "progressing" | "failed" | "suspended" | "unknown";

/** The state of an object, computed from the object alone. */
export interface Health {
  readonly state: HealthState;
  /** Empty if the object is ready. */
  readonly reason: string;
  /** False if the object has no rule and reports nothing that shows its state. */
  readonly isReported: boolean;
  /** The place of the rule, as in `HealthRule.source`, or `general`. */
  readonly rule: string;
}

/** A state with its reason. `isReported` is true by default. */
export type Judgment = Pick<Health, "state" | "reason"> & Partial<Pick<Health, "isReported">>;

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

/** A field that an expression reads, and that the schema of the kind excludes. */
interface UnknownRuleField {
  readonly path: readonly string[];
  /** The field that the author probably meant. */
  readonly meant: string | undefined;
}

/** Finds the fields of `spec` and `status` that a valid expression reads and a schema excludes. */
export function findUnknownFields(text: string, schema: JsonObject): readonly UnknownRuleField[] {
  return listReadFields(text, ["spec", "status"]).flatMap(
    ({ path }): readonly UnknownRuleField[] => {
      const unknown = findUnknownStep(schema, path);
      return unknown === undefined ? [] : [{ path, meant: closest(unknown.field, unknown.names) }];
    },
  );
}

/** Returns the first step that a schema excludes, with the names that it knows there. */
function findUnknownStep(
  schema: JsonObject,
  path: readonly string[],
): { readonly field: string; readonly names: readonly string[] } | undefined {
  let current = schema;
  for (const field of path) {
    const properties = at(current, "properties");
    const isOpen =
      !isObject(properties) ||
      at(current, "additionalProperties") !== undefined ||
      at(current, "x-kubernetes-preserve-unknown-fields") === true;
    if (isOpen) return undefined;
    const next = fieldOf(properties, field);
    if (next === undefined) return { field, names: Object.keys(properties) };
    if (!isObject(next)) return undefined;
    current = next;
  }
  return undefined;
}
