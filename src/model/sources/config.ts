import type { DeploymentCheck } from "../deployments/deployment-checks.ts";
import type { DeclaredHealthRule } from "../health-rule.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Position } from "../problems/problem.ts";
import type { Stage } from "./compilation.ts";

export type ParamType = "string" | "int" | "bool" | "array" | "object" | "secret";

/**
 * A config as written (docs/reference/qvs-yaml.md#fields). It contains the position of everything
 * that a later step can reject.
 */
export interface Config {
  readonly file: string;
  readonly params: readonly ParamDeclaration[];
  readonly modules: readonly ModuleReference[];
  readonly designPatterns: readonly DesignPatternUse[];
  /** The objects of entries that name files instead of an adapter; missing if there are none. */
  readonly inputs?: readonly ObjectInput[];
  /** Missing if there are none. */
  readonly checks?: readonly DeploymentCheck[];
  /** Health rules. They win over those of adapters. */
  readonly health?: readonly DeclaredHealthRule[];
}

export interface ParamDeclaration {
  readonly name: string;
  readonly type: ParamType;
  readonly where: Position;
}

export interface ModuleReference {
  /**
   * The module path that adapters import, e.g. `qmonus.net/adapter/official`. For a Git source, it
   * is the name in the config.
   */
  readonly name: string;
  readonly source: ModuleSource;
  readonly where: Position;
}

export type ModuleSource = GitSource | LocalSource;

export interface GitSource {
  readonly from: "git";
  /** The repository as the config writes it. */
  readonly repo: string;
  readonly revision: string;
  /** The directory of the repository that contains `cue.mod`; "" for the root. */
  readonly path: string;
}

interface LocalSource {
  readonly from: "local";
  /** The path from the root of the application's repository; "" for the root. */
  readonly path: string;
}

export interface DesignPatternUse {
  /** The CUE import path with an optional `:package`. */
  readonly pattern: string;
  readonly group: string | undefined;
  readonly params: readonly BoundParam[];
  readonly where: Position;
}

/** An entry of `designPatterns` that takes objects from files. Adapters can add fields to them. */
export interface ObjectInput {
  /** The entry as messages name it, e.g. `manifests: ../k8s`. */
  readonly title: string;
  readonly stage: Stage;
  readonly group: string | undefined;
  readonly where: Position;
  /** Every file that was read, from the root of the repository. */
  readonly files: readonly string[];
  /** The parameters of the config that the files use, under the same names. */
  readonly params: readonly BoundParam[];
  /** The parameters of a chart whose values are secrets. The places of its objects name none. */
  readonly secretParams?: readonly string[];
  readonly objects: readonly InputObject[];
  /** The resource of an adapter that these objects replace; missing for an entry of the config. */
  readonly replaces?: ChartResource;
}

/** A resource of an adapter that stands for the objects of a chart. */
export interface ChartResource {
  readonly stage: Stage;
  readonly id: string;
  /** The ids of the resources that all of its objects wait for. */
  readonly dependsOn: readonly string[];
  /** The resource as the chart was rendered with it. */
  readonly content: JsonObject;
}

/** A complete object of a file, with the places of its parts. */
export interface InputObject {
  /** The resource id without the group: `<kind>/<namespace>/<name>` in lower case. */
  readonly id: string;
  readonly object: JsonObject;
  readonly where: Position;
  /** The place in a remote base; `where` is then the kustomization. */
  readonly base?: Position;
  readonly places: readonly ValuePlace[];
}

/** One argument of an adapter after qvs replaced `$(params.…)`, with its position in the config. */
export interface BoundParam {
  readonly name: string;
  readonly value: Json;
  readonly where: Position;
  /** The places of the parts of the value. Manually built arguments can lack them. */
  readonly places?: readonly ValuePlace[];
  /** The config parameters that the value was made from. */
  readonly from: readonly string[];
  /** True if one of them was given on the command line. */
  readonly inline?: boolean;
}

/** The place of one part of a value. */
export interface ValuePlace {
  /** The path within the value, with list items by index; empty for the value itself. */
  readonly path: readonly string[];
  /** The position in the config. */
  readonly where: Position;
  /** The positions in the params files of the values that replace `$(params.…)`. */
  readonly given: readonly Position[];
  /** The config parameters that this part was made from; missing if there are none. */
  readonly from?: readonly string[];
}
