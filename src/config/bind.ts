import type { BoundParam, Config, DesignPatternUse } from "../model/config.ts";
import { failed, ok, type Result } from "../model/problem.ts";
import { bindParams } from "./bind-params.ts";
import type { ParsedConfig, ParsedPattern } from "./parse-config.ts";
import type { GivenParam } from "./parse-params.ts";
import { placeOf } from "./places-of-value.ts";
import { BoundScope } from "./scope.ts";
import { type Scope, substitute } from "./substitute.ts";
import type { YamlNode } from "./yaml-node.ts";

/** The config with the given values in place of `$(params.…)`; of two values of one name the later one counts. */
export function bindConfig(parsed: ParsedConfig, given: readonly GivenParam[]): Result<Config> {
  const values = bindParams(parsed.params, given);
  const scope = new BoundScope(parsed.params, given, values.ok ? values.value : new Map());
  const { file, params, modules } = parsed;
  const inline = inlineNames(given);
  const designPatterns = parsed.designPatterns.map((use) => bindPattern(use, scope, inline));
  const problems = [...(values.ok ? [] : values.problems), ...scope.problems];
  return problems.length > 0 ? failed(problems) : ok({ file, params, modules, designPatterns });
}

/** The parameters whose value, the last one given, came from the command line. */
function inlineNames(given: readonly GivenParam[]): ReadonlySet<string> {
  const last = new Map(given.map(({ name, by }) => [name, by]));
  return new Set([...last].filter(([, by]) => by === "inline").map(([name]) => name));
}

function bindPattern(
  use: ParsedPattern,
  scope: Scope,
  inline: ReadonlySet<string>,
): DesignPatternUse {
  const entries = use.params?.entries ?? [];
  const params = entries.map((entry): BoundParam => {
    const { name, value } = entry;
    const where = placeOf(entry);
    const bound = { name, where, ...substitute(value, scope, where) };
    return bound.from.some((each) => inline.has(each)) ? { ...bound, inline: true } : bound;
  });
  const group = use.group === undefined ? undefined : bindGroup(use.group, scope);
  return { pattern: use.pattern, group, params, where: use.where };
}

function bindGroup(node: YamlNode, scope: Scope): string {
  const { value, from } = substitute(node, scope);
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  // A reference without a value has been reported already.
  if (value === null && from.length > 0) return "";
  scope.report({ where: [node.where], what: '"group" must be text', fix: "Give the group a name" });
  return "";
}
