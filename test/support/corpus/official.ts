import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import type { CompileRequest } from "../../../src/ports/cue.ts";

/**
 * The directory of real adapters, which are not part of this project. QVS_CORPUS names its parent.
 * Without it, the tests that need it are skipped.
 */
export const official = join(process.env["QVS_CORPUS"] ?? "", "official-cloud-native-adapters");
export const isAvailable = process.env["QVS_CORPUS"] !== undefined && existsSync(official);

/** The prefix of all import paths in the official module. */
export const modulePath = "qmonus.net/adapter/official";

/** Returns a config that uses one adapter, with its module from the directory. */
export function requestFor(pattern: string, params: JsonObject): CompileRequest {
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const bound = Object.entries(params).map(([name, value]) => ({ name, value, where, from: [] }));
  const files = { in: "directory", directory: official } as const;
  return {
    config: {
      file: "qvs.yaml",
      params: [],
      modules: [],
      designPatterns: [{ pattern, group: undefined, params: bound, where }],
    },
    modules: [{ display: "official/", files }],
  };
}

/**
 * Returns the import paths of all packages outside cue.mod with a file that contains the word
 * DesignPattern.
 */
export function possiblePatterns(): readonly string[] {
  const files = globSync("**/*.cue", { cwd: official }).filter((f) => !f.startsWith("cue.mod"));
  const packages = files.flatMap((file) => {
    const text = readFileSync(join(official, file), "utf8");
    const [, name] = /^package\s+(\w+)/m.exec(text) ?? [];
    const isPossible = name !== undefined && text.includes("DesignPattern");
    return isPossible ? [`${modulePath}/${dirname(file)}:${name}`] : [];
  });
  return [...new Set(packages)].sort();
}

/** One entry of patterns.yaml. */
export interface Expected {
  /** The import path below the module. It ends in `:package` if the directory has another name. */
  readonly pattern: string;
  readonly params?: JsonObject;
  readonly manifests?: readonly string[];
  readonly pulumi?: readonly string[];
  readonly foreign?: Readonly<Record<string, readonly string[]>>;
  readonly lists?: readonly string[];
  readonly missing?: readonly string[];
  readonly apart?: readonly string[];
  readonly functions?: readonly string[];
  readonly nothing?: true;
  readonly refused?: readonly string[];
}

/** A file of manifests that a person derived from an adapter. */
export interface Written {
  readonly file: string;
  readonly pattern: string;
  readonly params: JsonObject;
  readonly expected: JsonObject;
  readonly dependsOn?: JsonObject;
  readonly pulumi?: JsonObject;
}

export const written: readonly Written[] = globSync("*.yaml", { cwd: import.meta.dirname })
  .filter((file) => file !== "patterns.yaml")
  .toSorted()
  .map((file) => ({ file, ...parse(readFileSync(join(import.meta.dirname, file), "utf8")) }));

export const table: readonly Expected[] = parse(
  readFileSync(join(import.meta.dirname, "patterns.yaml"), "utf8"),
  { merge: true },
);
