import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import type { CompileRequest } from "../../../src/ports/cue.ts";

/**
 * Real adapters, which are not part of this project: QVS_CORPUS names the folder that holds them. Without it whatever
 * needs them is skipped.
 */
export const official = join(process.env["QVS_CORPUS"] ?? "", "official-cloud-native-adapters");
export const isAvailable = process.env["QVS_CORPUS"] !== undefined && existsSync(official);

/** Everything that the official module has an import path for begins with this. */
export const modulePath = "qmonus.net/adapter/official";

/** A config that uses one adapter, with its module read from the folder. */
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
 * Import paths of all packages outside of cue.mod that may have a field DesignPattern: some file of theirs has the word.
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

/** One line of patterns.yaml. */
export interface Expected {
  /** Import path below the module, with `:package` where the folder is not called like it. */
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

/** A file of manifests that were written by reading an adapter. */
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
