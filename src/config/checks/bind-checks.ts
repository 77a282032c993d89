import type { DeploymentCheck } from "../../model/deployments/deployment-checks.ts";
import { isList, isObject, type Json } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/sources/yaml-node.ts";
import { type Scope, substitute } from "../substitute.ts";
import { checksShape, readChecks } from "./check-shape.ts";

/**
 * Returns the checks of all lists with `$(params.…)` replaced. A value keeps the position of its
 * reference. Without all values, the form of the checks isn't reported.
 */
export function bindChecks(
  lists: readonly YamlNode[],
  scope: Scope & { readonly problems: readonly Problem[] },
): readonly DeploymentCheck[] {
  const before = scope.problems.length;
  const bound = lists.map((list) => bindNode(list, scope));
  if (scope.problems.length > before) return [];
  const problems: Problem[] = [];
  const written = bound.flatMap((list) => checksShape(list, "checks", problems) ?? []);
  const checks = readChecks(written, problems);
  for (const problem of problems) scope.report(problem);
  return checks;
}

function bindNode(node: YamlNode, scope: Scope): YamlNode {
  switch (node.kind) {
    case "map":
      return {
        ...node,
        entries: node.entries.map((entry) => ({ ...entry, value: bindNode(entry.value, scope) })),
      };
    case "list":
      return { ...node, items: node.items.flatMap((item) => bindItem(item, scope)) };
    case "scalar": {
      const { value, from } = substitute(node, scope);
      return from.length === 0 && value === node.value ? node : toNode(value, node.where);
    }
  }
}

/** Returns the items that replace an item: several for `$(params.LIST[*])`. */
function bindItem(item: YamlNode, scope: Scope): readonly YamlNode[] {
  if (item.kind !== "scalar") return [bindNode(item, scope)];
  const { value, from } = substitute({ kind: "list", items: [item], where: item.where }, scope);
  if (from.length === 0 || !isList(value)) return [bindNode(item, scope)];
  return value.map((each) => toNode(each, item.where));
}

function toNode(value: Json, where: Position): YamlNode {
  if (isList(value))
    return { kind: "list", items: value.map((item) => toNode(item, where)), where };
  if (!isObject(value)) return { kind: "scalar", value, source: String(value), where };
  const entries = Object.entries(value).map(([name, inner]) => ({
    key: { kind: "scalar" as const, value: name, source: name, where },
    name,
    value: toNode(inner, where),
  }));
  return { kind: "map", entries, where };
}
