import type { Json } from "../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../model/object.ts";
import { type Fixes, failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type {
  BoundParam,
  Config,
  DesignPatternUse,
  InputObject,
  ObjectInput,
  ParamDeclaration,
} from "../model/sources/config.ts";
import type { YamlNode } from "../model/sources/yaml-node.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import { BoundScope } from "./bound-scope.ts";
import { bindChecks } from "./checks/bind-checks.ts";
import { createScopeCheck, identify, substituteInput } from "./inputs/bind-input.ts";
import type { ReadInput } from "./inputs/parsed-input.ts";
import type { ParsedConfig, ParsedPattern } from "./parse-config.ts";
import type { GivenParam } from "./parse-params.ts";
import { readTyped } from "./read-typed.ts";
import { type Scope, substitute } from "./substitute.ts";
import { entryPlace } from "./value-places.ts";

/**
 * Returns the config with `$(params.…)` replaced by the given values. If a name is given twice, the
 * later value counts. `read` contains the objects of the entries that name files.
 */
export function bindConfig(
  parsed: ParsedConfig,
  given: readonly GivenParam[],
  read: readonly ReadInput[] = [],
): Result<Config> {
  const values = bindParams(parsed.params, given);
  const scope = new BoundScope(parsed.params, given, values.ok ? values.value : new Map());
  const { file, params, modules, health } = parsed;
  const inline = inlineNames(given);
  const designPatterns = parsed.designPatterns.map((use) => bindPattern(use, scope, inline));
  const inputs = bindInputs(read, scope, inline);
  const checks = bindChecks(parsed.checks ?? [], scope);
  const problems = [...(values.ok ? [] : values.problems), ...scope.problems];
  if (problems.length > 0) return failed(problems);
  return ok({
    ...{ file, params, modules, designPatterns },
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(checks.length === 0 ? {} : { checks }),
    ...(health === undefined ? {} : { health }),
  });
}

/** Returns the parameters whose last value came from the command line. */
export function inlineNames(given: readonly GivenParam[]): ReadonlySet<string> {
  const last = new Map(given.map(({ name, origin }) => [name, origin]));
  return new Set([...last].filter(([, origin]) => origin === "inline").map(([name]) => name));
}

function bindPattern(
  use: ParsedPattern,
  scope: Scope,
  inline: ReadonlySet<string>,
): DesignPatternUse {
  const entries = use.params?.entries ?? [];
  const params = entries.map((entry): BoundParam => {
    const { name, value } = entry;
    const where = entryPlace(entry);
    const bound = { name, where, ...substitute(value, scope, where) };
    return bound.from.some((each) => inline.has(each)) ? { ...bound, inline: true } : bound;
  });
  const group = use.group === undefined ? undefined : bindName("group", use.group, scope);
  return { pattern: use.pattern, group, params, where: use.where };
}

/** Returns the entries with files, with complete objects. It reports objects declared twice. */
function bindInputs(
  read: readonly ReadInput[],
  scope: Scope,
  inline: ReadonlySet<string>,
): readonly ObjectInput[] {
  const named = (key: string, node: YamlNode) => bindName(key, node, scope);
  const all = read.map((each) => substituteInput(each, { scope, bindName: named, inline }));
  const isNamespaced = createScopeCheck(all.flatMap((e) => e.objects.map(({ object }) => object)));
  const inputs = all.map((each) => identify(each, isNamespaced));
  const problems: Problem[] = [];
  reportRepeated(inputs, problems);
  for (const problem of problems) scope.report(problem);
  return inputs;
}

/** Returns the name in a key. It reports any other value. */
export function bindName(key: string, node: YamlNode, scope: Scope): string {
  const { value, from } = substitute(node, scope);
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  // A reference without a value is already reported.
  if (value === null && from.length > 0) return "";
  scope.report({
    code: "wrong-type",
    where: [node.where],
    what: `"${key}" isn't a non-empty string`,
    fix: `Set "${key}" to a name`,
    otherwise: [`remove "${key}"`],
  });
  return "";
}

/**
 * Returns the value of every declared parameter that has one. The last value counts, and it must
 * have the declared type.
 * A params file can contain values for parameters of other configs. An undeclared inline value is
 * an error.
 */
export function bindParams(
  declared: readonly ParamDeclaration[],
  given: readonly GivenParam[],
): Result<ReadonlyMap<string, Json>> {
  const problems = given
    .filter(
      ({ name, origin }) => origin === "inline" && !declared.some((each) => each.name === name),
    )
    .map(({ name }) => undeclaredFlagProblem(name, declared));
  const values = new Map<string, Json>();
  const last = new Map(given.map((param) => [param.name, param]));
  for (const declaration of declared) {
    const param = last.get(declaration.name);
    if (param === undefined) continue;
    const value = readTyped(declaration, param);
    if (value.ok) values.set(declaration.name, value.value);
    else problems.push(...value.problems);
  }
  return problems.length > 0 ? failed(problems) : ok(values);
}

function undeclaredFlagProblem(name: string, declared: readonly ParamDeclaration[]): Problem {
  const names = declared.map((declaration) => declaration.name);
  return {
    code: "unknown-parameter",
    where: [],
    what: `"--param ${name}" sets a parameter that the config doesn't declare`,
    ...suggest(
      closest(name, names),
      `Declare "${name}" under params in the config`,
      `remove --param ${name}`,
    ),
    inputs: [`param: ${name}=…`],
  };
}

/**
 * Reports objects that two places of the config's files declare, and different objects with one
 * resource id. Only an adapter can add fields to an object.
 */
export function reportRepeated(inputs: readonly ObjectInput[], problems: Problem[]): void {
  const objects = new Map<string, InputObject>();
  const resources = new Map<string, InputObject>();
  const ofAdapters = new Set(
    inputs.flatMap(({ replaces, objects: all }) => (replaces === undefined ? [] : all)),
  );
  for (const { stage, group = "", objects: all } of inputs) {
    for (const each of all) {
      const id = idOf(each.object as KubeObject);
      const same = firstWith(objects, keyOf(id), each);
      const alike = firstWith(resources, `${stage}/${group}/${each.id}`, each);
      if (same !== undefined) {
        problems.push({
          code: "duplicate-object",
          where: [each.where, same.where],
          what: `${nameOf(id)} is declared twice`,
          fix: "Remove one of the two",
        });
      } else if (alike !== undefined) {
        problems.push({
          code: "duplicate-object",
          where: [each.where, alike.where],
          what: `${nameOf(id)} has the resource id of another object`,
          facts: [{ label: "id", value: each.id }],
          ...(ofAdapters.has(each) || ofAdapters.has(alike) ? fixesOfAdapter : fixOfEntry),
        });
      }
    }
  }
}

const fixOfEntry: Fixes = { fix: 'Move one of the two to an entry of its own, with a "group"' };

/** A chart of an adapter has no entry. The group is the part of its id before the last slash. */
const fixesOfAdapter: Fixes = {
  fix: "Turn off one of the two in the values of the chart",
  otherwise: ["give the resource of the chart another group in its id, such as GROUP/NAME"],
};

/** Returns the first object with this key; undefined if `each` is the first. */
function firstWith(
  known: Map<string, InputObject>,
  key: string,
  each: InputObject,
): InputObject | undefined {
  const first = known.get(key);
  if (first === undefined) known.set(key, each);
  return first;
}
