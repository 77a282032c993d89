import { type DeclaredHealthRule, healthExpressions } from "../model/health-rule.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problems/problem.ts";
import type { ModuleReference, ParamDeclaration, ParamType } from "../model/sources/config.ts";
import type { YamlMap, YamlNode } from "../model/sources/yaml-node.ts";
import { writtenChecks } from "./checks/check-shape.ts";
import { helmShape, kustomizeShape, manifestsShape } from "./inputs/input-shapes.ts";
import { type ParsedInput, parseChart, parseInput } from "./inputs/parsed-input.ts";
import { moduleShape, readModules } from "./modules.ts";
import { reportPatterns } from "./patterns.ts";
import { alternatives } from "./yaml/alternatives.ts";
import { readYaml } from "./yaml/read.ts";
import {
  anyMap,
  anything,
  described,
  listOf,
  oneOf,
  optional,
  record,
  required,
  text,
  type YamlText,
} from "./yaml/shape.ts";

/** A config as written, in which `$(params.…)` isn't replaced yet. */
export interface ParsedConfig {
  readonly file: string;
  readonly params: readonly ParamDeclaration[];
  readonly modules: readonly ModuleReference[];
  readonly designPatterns: readonly ParsedPattern[];
  /** The entries of `designPatterns` that name files instead of an adapter. */
  readonly fileEntries: readonly ParsedInput[];
  /**
   * The checks as written: those of the config, then those of the entry in deployments.yaml.
   * Parameters can provide any part of them.
   */
  readonly checks?: readonly YamlNode[];
  readonly health?: readonly DeclaredHealthRule[];
}

export interface ParsedPattern {
  readonly pattern: string;
  readonly group: YamlNode | undefined;
  readonly params: YamlMap | undefined;
  readonly where: Position;
}

const paramTypes: readonly ParamType[] = ["string", "int", "bool", "array", "object", "secret"];

/** The names of these types in other languages. */
const synonyms: ReadonlyMap<string, ParamType> = new Map<string, ParamType>([
  ...["str", "text"].map((word) => [word, "string"] as const),
  ...["integer", "number", "int64"].map((word) => [word, "int"] as const),
  ...["boolean"].map((word) => [word, "bool"] as const),
  ...["list", "sequence"].map((word) => [word, "array"] as const),
  ...["map", "dict", "struct", "hash"].map((word) => [word, "object"] as const),
]);

const declarationShape = record(
  {
    name: described("Name in $(params.NAME), in parameter files and in --param.", required(text)),
    type: described(
      "Type of the value. Quote strings that look like numbers. A secret is {key, version}.",
      required(oneOf(paramTypes, synonyms), `with one of ${paramTypes.join(", ")}`),
    ),
  },
  {
    default: "Set the value in a parameter file, or declare the default in the adapter",
    value: "Set the value in a parameter file or with --param",
  },
);

const patternShape = record({
  pattern: described(
    "CUE import path of the adapter, with :package if its name differs from the last element.",
    required(text, "with the import path of an adapter"),
  ),
  params: described("Arguments for the adapter's parameters.", optional(anyMap)),
  // Only CI/CD adapters read these. qvs must accept a config that is also used for CI/CD.
  pipelineParams: described("Arguments for CI/CD adapters. qvs ignores them.", optional(anyMap)),
  group: described("Prefix of the adapter's resource ids.", optional(anything)),
});

const entryShape = alternatives({
  pattern: patternShape,
  manifests: manifestsShape,
  kustomize: kustomizeShape,
  helm: helmShape,
});

const healthShape = record({
  apiVersion: described("API version of the kind. The rule is about all versions.", required(text)),
  kind: described("Kind of the objects.", required(text)),
  inProgress: described("CEL: true while the controller works on the object.", optional(text)),
  failed: described("CEL: true if the controller reports a failure.", optional(text)),
  suspended: described("CEL: true if a user stopped the work.", optional(text)),
  current: described("CEL: true if the object is ready.", required(text)),
  message: described("CEL: the reason, a string.", optional(text)),
});

const configShape = record({
  params: described(
    "Parameters of this config. Values come from parameter files and from --param.",
    optional(listOf(declarationShape)),
  ),
  modules: described("Modules that contain the adapters.", optional(listOf(moduleShape))),
  designPatterns: described(
    "Adapters, manifests and charts to use. qvs unifies their resources.",
    required(listOf(entryShape), 'with "- pattern: …" for each adapter'),
  ),
  checks: described(
    "Checks that run after all objects are ready, before qvs deletes old ones.",
    optional(writtenChecks),
  ),
  health: described(
    "Health rules in CEL: when objects of a custom kind are ready.",
    optional(listOf(healthShape)),
  ),
});

/** The JSON Schema of a config. */
export const configSchema = configShape.schema;

/**
 * Reads a config (docs/reference/qvs-yaml.md#fields). `file` is its path from the root of the
 * repository. Paths of local modules are relative to it.
 */
export function parseConfig(file: string, content: string): Result<ParsedConfig> {
  const yaml = readYaml(file, content);
  if (!yaml.ok) return yaml;
  const problems: Problem[] = [];
  const written = configShape(yaml.value, "", problems);
  if (written === undefined) return failed(problems);
  const params = (written.params ?? []).map(({ name, type }) => ({
    name: name.value,
    type,
    where: name.where,
  }));
  reportDuplicates("Parameter", "declared", params, problems);
  const modules = readModules(file, written.modules ?? [], problems);
  reportDuplicates("Module", "listed", modules, problems);
  const uses = written.designPatterns.flatMap((e) => (e.form === "pattern" ? [e.value] : []));
  reportPatterns(file, { modules: written.modules, designPatterns: uses }, problems);
  const fileEntries = written.designPatterns.flatMap((entry) => {
    if (entry.form === "pattern") return [];
    if (entry.form === "helm") return parseChart(file, entry.value.helm, problems) ?? [];
    const named = entry.form === "manifests" ? entry.value.manifests : entry.value.kustomize;
    return parseInput(file, entry.form, named, entry.value, problems) ?? [];
  });
  if (problems.length > 0) return failed(problems);
  const designPatterns = uses.map((use) => ({
    pattern: use.pattern.value,
    group: use.group,
    params: use.params,
    where: use.pattern.where,
  }));
  const { checks } = written;
  const health = written.health?.map(readHealthRule);
  return ok({
    ...{ file, params, modules, designPatterns, fileEntries },
    ...(checks === undefined ? {} : { checks: [checks] }),
    ...(health === undefined ? {} : { health }),
  });
}

type WrittenRule = Readonly<
  Record<"apiVersion" | "kind" | "current", YamlText> &
    Partial<Record<"inProgress" | "failed" | "suspended" | "message", YamlText | undefined>>
> & { readonly where: Position };

function readHealthRule(written: WrittenRule): DeclaredHealthRule {
  const given = healthExpressions.flatMap((name) => {
    const text = written[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    apiVersion: written.apiVersion.value,
    kind: written.kind.value,
    current: written.current.value,
    ...Object.fromEntries(given.map(([name, { value }]) => [name, value])),
    where: written.where,
    places: Object.fromEntries(given.map(([name, { where }]) => [name, where])),
  };
}

function reportDuplicates(
  kind: string,
  verb: string,
  named: readonly { readonly name: string; readonly where: Position }[],
  problems: Problem[],
): void {
  const first = new Map<string, Position>();
  for (const { name, where } of named) {
    const before = first.get(name);
    if (before === undefined) first.set(name, where);
    else {
      const what = `${kind} "${name}" is ${verb} twice`;
      problems.push({
        code: "duplicate-name",
        where: [where, before],
        what,
        fix: "Remove one of the two entries",
      });
    }
  }
}
