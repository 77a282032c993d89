import type { Json } from "./json.ts";
import type { Position } from "./problems/problem.ts";

export type ParamType = "string" | "int" | "bool" | "array" | "object" | "secret";

/** A QVS config as written (docs/reference/qvs-yaml.md#fields), with the place of everything that can be wrong later. */
export interface Config {
  readonly file: string;
  readonly params: readonly ParamDeclaration[];
  readonly modules: readonly ModuleReference[];
  readonly designPatterns: readonly DesignPatternUse[];
}

export interface ParamDeclaration {
  readonly name: string;
  readonly type: ParamType;
  readonly where: Position;
}

export interface ModuleReference {
  /** The module path that adapters import, e.g. `qmonus.net/adapter/official`; for git, what the config calls it. */
  readonly name: string;
  readonly source: ModuleSource;
  readonly where: Position;
}

export type ModuleSource = GitSource | LocalSource;

export interface GitSource {
  readonly from: "git";
  /** As written. */
  readonly repo: string;
  readonly revision: string;
  /** The folder of that repository whose `cue.mod` it is; "" for its root. */
  readonly path: string;
}

interface LocalSource {
  readonly from: "local";
  /** Counts from the root of the application's repository, "" for the root itself. */
  readonly path: string;
}

export interface DesignPatternUse {
  /** CUE import path with an optional `:package`. */
  readonly pattern: string;
  readonly group: string | undefined;
  readonly params: readonly BoundParam[];
  readonly where: Position;
}

/** One argument of an adapter after `$(params.…)` was replaced, with the line of the config that gave it. */
export interface BoundParam {
  readonly name: string;
  readonly value: Json;
  readonly where: Position;
  /** The same for its parts; what is made by hand may leave them out. */
  readonly places?: readonly ValuePlace[];
  /** The config parameters that the value was made from. */
  readonly from: readonly string[];
  /** Whether any of them was given on the command line. */
  readonly inline?: boolean;
}

/** Where a part of a value is written. */
export interface ValuePlace {
  /** From the value down; list items by their index. Empty for the value itself. */
  readonly path: readonly string[];
  /** In the config. */
  readonly where: Position;
  /** Where params files give what `$(params.…)` puts in there. */
  readonly given: readonly Position[];
}
