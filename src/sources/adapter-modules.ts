import { parseConfig } from "../config/parse-config.ts";
import { folderOf } from "../config/repository-path.ts";
import type { Config, ModuleReference } from "../model/config.ts";
import { UserError, userError } from "../model/problems/errors.ts";
import { failed, ok, problemsOf, type Result } from "../model/problems/problem.ts";
import type { ModuleRoot } from "../ports/cue.ts";
import type { World } from "../ports/world.ts";
import { chooseDeployment, listDeployments } from "./list-deployments.ts";
import { missingFile } from "./missing-file.ts";
import { localRoot, type OpenModule, openModules } from "./open-modules.ts";

/** Where adapters are looked for. Paths are relative to the root of the repository, "" for itself. */
export interface AdapterSearch {
  readonly config: string | undefined;
  readonly deployment: string | undefined;
  /** Where the user stands, or the folder that was named. */
  readonly folder: string;
}

/** A module with the name that the QVS config gives it. */
export interface SearchedModule {
  readonly name: string;
  /** Its folder in this repository; undefined for one from git. */
  readonly folder: string | undefined;
  readonly root: ModuleRoot;
}

/**
 * The modules of the QVS config that was chosen, or of all there are; and the module around the folder. Without a config and
 * without a module around it, all modules below it. Throws a UserError.
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
  throw userError(
    "unknown-module",
    "There is no module with adapters here",
    "Change to a folder with cue.mod/module.cue, or name a QVS config that has modules with --config",
  );
}

async function configuredModules(
  world: World,
  search: AdapterSearch,
): Promise<Result<readonly OpenModule[]>> {
  const { tree } = world.source;
  const parsed = await Promise.all(
    (await configsFor(world, search)).map(async (file) => {
      const text = await tree.read(file);
      if (text !== undefined) return parseConfig(file, text);
      return failed<never>([await missingFile(tree, "QVS config", file)]);
    }),
  );
  const problems = parsed.flatMap(problemsOf);
  if (problems.length > 0) return failed(problems);
  const configs = parsed.flatMap((each) => (each.ok ? [each.value] : []));
  const all = configs.flatMap((config) => config.modules);
  const distinct = [...new Map(all.map((each) => [keyOf(each), each])).values()];
  const twice = distinct.find((each) => distinct.some((other) => isOther(each, other)));
  if (twice === undefined) return openAll(world, configs);
  const what = `The QVS configs here take "${twice.name}" from different places`;
  const where = distinct.filter(({ name }) => name === twice.name).map((each) => each.where);
  return failed([
    {
      code: "duplicate-name",
      where,
      what,
      fix: "Choose one of the configs with --config or --deployment",
    },
  ]);
}

/** Each config's modules at the commits of the lock beside it; what several of them name is opened once. */
async function openAll(
  { source }: World,
  configs: readonly Pick<Config, "file" | "modules">[],
): Promise<Result<readonly OpenModule[]>> {
  const opened = await Promise.all(configs.map((config) => openModules(source, config)));
  const problems = opened.flatMap(problemsOf);
  if (problems.length > 0) return failed(problems);
  const modules = opened.flatMap((each) => (each.ok ? each.value.modules : []));
  return ok([...new Map(modules.map((module) => [keyOf(module.reference), module])).values()]);
}

function keyOf({ name, source }: ModuleReference): string {
  return JSON.stringify([name, source]);
}

function isOther(one: ModuleReference, other: ModuleReference): boolean {
  return one !== other && one.name === other.name;
}

/** One config when one was asked for; what is asked for without any is about adapters, not about a deployment. */
export async function configsFor(
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

/** The nearest module at or above a folder; if asked, those below it where there is none. */
async function localModules(
  { source }: World,
  folder: string,
  orBelow: boolean,
): Promise<readonly string[]> {
  for (let path = folder; ; path = folderOf(path)) {
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
