import { parseConfig } from "../config/parse-config.ts";
import { parentDirectory } from "../config/repository-path.ts";
import { UserError } from "../model/problems/errors.ts";
import { failed, ok, type Result, resultProblems } from "../model/problems/problem.ts";
import type { Config, ModuleReference } from "../model/sources/config.ts";
import type { ModuleRoot } from "../ports/cue.ts";
import type { World } from "../ports/world.ts";
import { chooseDeployment, listDeployments } from "./list-deployments.ts";
import { missingFile } from "./missing-file.ts";
import { localRoot, type OpenModule, openModules } from "./open-modules.ts";

/**
 * The scope of a search for adapters. Paths are relative to the root of the repository, "" for the
 * root itself.
 */
export interface AdapterSearch {
  readonly config: string | undefined;
  readonly deployment: string | undefined;
  /** The current directory, or the directory that the user named. */
  readonly folder: string;
}

/** A module with its name in the config. */
export interface SearchedModule {
  readonly name: string;
  /** The directory in this repository; undefined for a Git module. */
  readonly folder: string | undefined;
  readonly root: ModuleRoot;
}

/**
 * Returns the modules of the selected config, or of all configs, and the module that contains the
 * directory.
 * If there is no config and no surrounding module, it returns all modules below the directory.
 * Throws a UserError.
 */
export async function adapterModules(
  world: World,
  search: AdapterSearch,
): Promise<readonly SearchedModule[]> {
  const opened = await configuredModules(world, search);
  if (!opened.ok) throw new UserError(opened.problems);
  const configured = opened.value.map(({ reference, root }) => ({
    name: reference.name,
    folder: reference.source.from === "local" ? reference.source.path : undefined,
    root,
  }));
  const local = await localModules(world, search.folder, configured.length === 0);
  const others = local.filter((path) => !configured.some(({ folder }) => folder === path));
  const all = [...configured, ...(await Promise.all(others.map((path) => openLocal(world, path))))];
  if (all.length > 0) return all;
  throw new UserError([
    {
      code: "unknown-module",
      where: [],
      what: "This directory has no module with adapters",
      fix: "Change to a directory with cue.mod/module.cue",
      otherwise: ["name a config that has modules with --config"],
    },
  ]);
}

async function configuredModules(
  world: World,
  search: AdapterSearch,
): Promise<Result<readonly OpenModule[]>> {
  const { tree } = world.source;
  const parsed = await Promise.all(
    (await selectConfigs(world, search)).map(async (file) => {
      const text = await tree.read(file);
      if (text !== undefined) return parseConfig(file, text);
      return failed<never>([await missingFile(tree, "config", file)]);
    }),
  );
  const problems = parsed.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const configs = parsed.flatMap((each) => (each.ok ? [each.value] : []));
  const all = configs.flatMap((config) => config.modules);
  const distinct = [...new Map(all.map((each) => [moduleKey(each), each])).values()];
  const ambiguous = distinct.find((each) => distinct.some((other) => hasSameName(each, other)));
  if (ambiguous === undefined) return openAll(world, configs);
  const what = `Module "${ambiguous.name}" has different sources in the configs`;
  const where = distinct.filter(({ name }) => name === ambiguous.name).map((each) => each.where);
  return failed([
    {
      code: "duplicate-name",
      where,
      what,
      fix: "Choose one of the configs with --config or --deployment",
    },
  ]);
}

/**
 * Opens the modules of each config at the commits of the lockfile next to it. A module that several
 * configs name is returned once.
 */
async function openAll(
  { source }: World,
  configs: readonly Pick<Config, "file" | "modules">[],
): Promise<Result<readonly OpenModule[]>> {
  const opened = await Promise.all(configs.map((config) => openModules(source, config)));
  const problems = opened.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const modules = opened.flatMap((each) => (each.ok ? each.value.modules : []));
  return ok([...new Map(modules.map((module) => [moduleKey(module.reference), module])).values()]);
}

function moduleKey({ name, source }: ModuleReference): string {
  return JSON.stringify([name, source]);
}

function hasSameName(one: ModuleReference, other: ModuleReference): boolean {
  return one !== other && one.name === other.name;
}

/**
 * Returns the selected config, or all configs. Without a selection, the command is about adapters
 * and not about a deployment.
 */
export async function selectConfigs(
  { source, repositoryName }: World,
  { config, deployment }: AdapterSearch,
): Promise<readonly string[]> {
  if (config !== undefined) return [config];
  if (deployment !== undefined) {
    const none = { config: undefined, params: [], context: undefined, namespace: undefined };
    const chosen = await chooseDeployment(source.tree, repositoryName, { ...none, deployment });
    return [chosen.config];
  }
  const all = await listDeployments(source.tree, repositoryName);
  if (!all.ok) throw new UserError(all.problems);
  return [...new Set(all.value.map((each) => each.config))];
}

const moduleFile = "cue.mod/module.cue";

/**
 * Returns the nearest module at or above a directory. If there is none and `orBelow` is set, it
 * returns the modules below.
 */
async function localModules(
  { source }: World,
  folder: string,
  orBelow: boolean,
): Promise<readonly string[]> {
  for (let path = folder; ; path = parentDirectory(path)) {
    if ((await source.tree.read(join(path, moduleFile))) !== undefined) return [path];
    if (path === "") break;
  }
  if (!orBelow) return [];
  const files = await source.tree.list([`/${moduleFile}`]);
  const folders = files.map((file) => file.slice(0, -moduleFile.length - 1));
  return folders.filter((path) => isBelow(path, folder) && !path.split("/").includes("cue.mod"));
}

async function openLocal({ source }: World, path: string): Promise<SearchedModule> {
  const root = localRoot(path, await source.tree.folder(path));
  return { name: path, folder: path, root };
}

function join(folder: string, file: string): string {
  return folder === "" ? file : `${folder}/${file}`;
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}
