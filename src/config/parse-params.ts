import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import { fieldNode, type YamlMap, type YamlNode } from "../model/sources/yaml-node.ts";
import { readYaml } from "./yaml/read.ts";
import {
  anyMap,
  anything,
  described,
  listOf,
  optional,
  record,
  required,
  shape,
  text,
} from "./yaml/shape.ts";

/** A value for a parameter of a config. If a name has several values, the last one counts. */
export interface GivenParam {
  readonly name: string;
  readonly value: YamlNode;
  /** The source of the value. Inline values are always strings and have no position in a file. */
  readonly origin: "file" | "inline";
}

/**
 * Reads a params file in either form (docs/reference/qvs-yaml.md#sources-of-values): an object of
 * values by name, or lists of `params` and `secrets`.
 * Configs can share a file, so this function doesn't report undeclared names.
 */
export function parseParams(file: string, content: string): Result<readonly GivenParam[]> {
  const yaml = readYaml(file, content);
  if (!yaml.ok) return yaml;
  if (yaml.value.kind === "scalar" && yaml.value.value === null) return ok([]);
  const problems: Problem[] = [];
  const map = anyMap(yaml.value, "", problems);
  if (map === undefined) return failed(problems);
  if (isConfig(map)) return failed([configProblem(map.where)]);
  const given = isListForm(map) ? readLists(map, problems) : paramsOf(map);
  return problems.length > 0 ? failed(problems) : ok(given);
}

/**
 * Reports whether the file is a config. A params file can have a parameter with this name, but not
 * one that is a list of patterns.
 */
function isConfig(map: YamlMap): boolean {
  const patterns = fieldNode(map, "designPatterns");
  const [first] = patterns?.kind === "list" ? patterns.items : [];
  return first?.kind === "map" && first.entries.some(({ name }) => name === "pattern");
}

function configProblem(where: Position): Problem {
  return {
    code: "invalid-input",
    where: [where],
    what: `"${where.file}" is a config, not a parameter file`,
    fix: "Pass it with --config, and parameter files with --params",
  };
}

/**
 * Reports whether the file has the form with lists. An object can have a parameter called "params",
 * but hardly one that is a list of objects.
 */
function isListForm(map: YamlMap): boolean {
  const isList = ({ name, value }: { name: string; value: YamlNode }) =>
    (name === "params" || name === "secrets") &&
    value.kind === "list" &&
    value.items.every((item) => item.kind === "map");
  return map.entries.length > 0 && map.entries.every(isList);
}

const valueShape = record({
  name: described("Name of a parameter of the config.", required(text)),
  value: described("Value of the type that the config declares.", required(anything)),
});

const secretShape = record({
  name: described("Name of a parameter of type secret.", required(text)),
  key: described(
    "Name of the secret in its store, never the secret itself.",
    required(text, "with the name under which the secret is stored"),
  ),
  version: described("Version of the secret in its store.", optional(text)),
});

const valueItem = shape<GivenParam>((node, name, problems) => {
  const read = valueShape(node, name, problems);
  return read === undefined
    ? undefined
    : toGivenParam({ name: read.name.value, value: read.value });
}, valueShape.schema);

const secretItem = shape<GivenParam>((node, name, problems) => {
  const read = secretShape(node, name, problems);
  if (read === undefined || node.kind !== "map") return undefined;
  const entries = node.entries.filter((entry) => entry.name !== "name");
  return toGivenParam({ name: read.name.value, value: { ...node, entries } });
}, secretShape.schema);

const listsShape = record({
  params: described("Values of parameters.", optional(listOf(valueItem))),
  secrets: described("Places of secrets.", optional(listOf(secretItem))),
});

/** The JSON Schema of params files with lists. The other form is an object with any fields. */
export const paramListsSchema = listsShape.schema;

function readLists(map: YamlMap, problems: Problem[]): readonly GivenParam[] {
  const lists = listsShape(map, "", problems);
  const given = [...(lists?.params ?? []), ...(lists?.secrets ?? [])];
  const first = new Map<string, GivenParam>();
  for (const param of given) {
    const before = first.get(param.name);
    first.set(param.name, before ?? param);
    if (before === undefined) continue;
    const what = `Parameter "${param.name}" has two values`;
    problems.push({
      code: "duplicate-name",
      where: [param.value.where, before.value.where],
      what,
      fix: "Remove one of the two values",
    });
  }
  return given;
}

/** Returns the values of an object of params by name. */
export function paramsOf(map: YamlMap): readonly GivenParam[] {
  return map.entries.map(toGivenParam);
}

function toGivenParam({ name, value }: { name: string; value: YamlNode }): GivenParam {
  return { name, value, origin: "file" };
}

/**
 * Reads the values of `--param NAME=VALUE`. They come after the values of the files, because the
 * last value counts.
 */
export function parseInlineParams(assignments: readonly string[]): Result<readonly GivenParam[]> {
  const problems = assignments.filter((text) => text.indexOf("=") < 1).map(assignmentProblem);
  return problems.length > 0 ? failed(problems) : ok(assignments.map(inlineParam));
}

/** Reports an invalid `--param` without repeating it, because it can contain a secret. */
function assignmentProblem(): Problem {
  return {
    code: "invalid-input",
    where: [],
    what: '"--param" isn\'t followed by NAME=VALUE',
    fix: "Write a name, an equals sign and a value, for example --param replicas=3",
  };
}

function inlineParam(assignment: string): GivenParam {
  const equals = assignment.indexOf("=");
  const name = assignment.slice(0, equals).trim();
  const value = assignment.slice(equals + 1);
  const where = { file: `--param ${name}`, line: 1, column: 1 };
  return { name, value: { kind: "scalar", value, source: value, where }, origin: "inline" };
}
