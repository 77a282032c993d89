import { UserError, userError } from "../model/problems/errors.ts";
import type {
  AdapterDescription,
  ListedAdapter,
  ModuleListing,
} from "../model/sources/description.ts";
import { closest } from "../model/text/suggest.ts";
import type { World } from "../ports/world.ts";
import type { ModuleDescription } from "../report/describe/render-module.ts";
import {
  type AdapterSearch,
  adapterModules,
  type SearchedModule,
} from "../sources/adapter-modules.ts";

/**
 * Describes an adapter by its import path (docs/reference/cli/describe.md). Throws a UserError
 * that suggests similar names.
 */
export async function describePattern(
  world: World,
  search: AdapterSearch,
  pattern: string,
): Promise<AdapterDescription> {
  const modules = await adapterModules(world, search);
  const described = await describe(world, modules, pattern);
  if (described !== undefined) return described;
  throw notFound(pattern, await listModules(world, modules));
}

/**
 * Describes the adapter in the directory `search.folder`. `name` selects the package if there are
 * several.
 */
export async function describeFolder(
  world: World,
  search: AdapterSearch,
  name: string | undefined,
): Promise<AdapterDescription> {
  const modules = await adapterModules(world, search);
  const all = await listModules(world, modules);
  const here = all.flatMap((module) => adaptersInDirectory(search.folder, module));
  const requested = here.filter(
    ({ pattern }) => name === undefined || packageName(pattern) === name,
  );
  const tried = await Promise.all(
    requested.map(({ pattern }) => describe(world, modules, pattern)),
  );
  const found = tried.filter((each) => each !== undefined);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const place = search.folder === "" ? "This directory" : `"${search.folder}"`;
  const choices = (found.length > 0 ? found : here).map(({ pattern }) => pattern).join(", ");
  throw found.length > 1
    ? userError(
        "ambiguous-selection",
        `${place} contains several adapters`,
        `Choose one: ${choices}`,
      )
    : userError(
        "unknown-pattern",
        `${place} contains no adapter${name === undefined ? "" : ` "${name}"`}`,
        choices === "" ? listAll : `Choose one: ${choices}`,
      );
}

/**
 * Describes every adapter of one module: the named one, the only one, or the nearest one around the
 * user's directory.
 */
export async function describeModule(
  world: World,
  search: AdapterSearch,
  name: string | undefined,
): Promise<ModuleDescription> {
  const modules = await adapterModules(world, search);
  const listing = chooseModule(await listModules(world, modules), search.folder, name);
  const patterns = listing.adapters.map(({ pattern }) => pattern);
  return { module: listing.module, ...(await describeEach(world, modules, patterns)) };
}

async function describeEach(
  { source }: World,
  modules: readonly SearchedModule[],
  patterns: readonly string[],
): Promise<Omit<ModuleDescription, "module">> {
  const roots = modules.map(({ root }) => root);
  const results = await Promise.all(
    patterns.map(async (pattern) => ({
      pattern,
      result: await source.compiler.describe({ describe: pattern, modules: roots }),
    })),
  );
  return {
    adapters: results.flatMap(({ result }) => (result.ok && result.value ? [result.value] : [])),
    failures: results.flatMap(({ pattern, result }) =>
      result.ok ? [] : [{ pattern, problems: result.problems }],
    ),
  };
}

/** Describes every adapter of all modules. */
export async function describeAll(
  world: World,
  search: AdapterSearch,
): Promise<Omit<ModuleDescription, "module">> {
  const modules = await adapterModules(world, search);
  const listed = await listModules(world, modules);
  const patterns = listed.flatMap(({ adapters }) => adapters.map(({ pattern }) => pattern));
  return describeEach(world, modules, patterns);
}

const listAll = "List all adapters with qvs describe --module";

async function describe(
  { source }: World,
  modules: readonly SearchedModule[],
  pattern: string,
): Promise<AdapterDescription | undefined> {
  const roots = modules.map(({ root }) => root);
  const described = await source.compiler.describe({ describe: pattern, modules: roots });
  if (!described.ok) throw new UserError(described.problems);
  return described.value;
}

/** The adapters of a module, with the module. */
interface ListedModule extends ModuleListing {
  readonly from: SearchedModule;
}

async function listModules(
  { source }: World,
  modules: readonly SearchedModule[],
): Promise<readonly ListedModule[]> {
  const roots = modules.map(({ root }) => root);
  const listed = await source.compiler.list({ list: "adapters", modules: roots });
  if (!listed.ok) throw new UserError(listed.problems);
  return listed.value.flatMap((listing) => {
    const from = modules[listing.root];
    return from === undefined ? [] : [{ ...listing, from }];
  });
}

function adaptersInDirectory(
  folder: string,
  { adapters, from }: ListedModule,
): readonly ListedAdapter[] {
  if (from.folder === undefined) return [];
  const base = from.folder === "" ? [] : [from.folder];
  return adapters.filter((adapter) => {
    const path = [...base, ...(adapter.folder === "." ? [] : [adapter.folder])].join("/");
    return path === folder;
  });
}

/** Returns the package after the colon, or else the last part of the path. */
function packageName(pattern: string): string | undefined {
  return pattern.split(/[/:]/).at(-1);
}

function chooseModule(
  all: readonly ListedModule[],
  folder: string,
  name: string | undefined,
): ModuleListing {
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0 && name === undefined) return first;
  const around = all.filter(
    ({ from }) => from.folder !== undefined && isInside(folder, from.folder),
  );
  const nearest = around.toSorted(
    (a, b) => (b.from.folder ?? "").length - (a.from.folder ?? "").length,
  )[0];
  const found =
    name === undefined
      ? nearest
      : all.find(({ module, from }) => [module, from.name].includes(name));
  if (found !== undefined) return found;
  throw userError(
    name === undefined ? "ambiguous-selection" : "unknown-module",
    name === undefined ? "More than one module exists here" : `Module "${name}" doesn't exist here`,
    `Choose one: ${all.map(({ module }) => `qvs describe --module ${module}`).join(", ")}`,
  );
}

function isInside(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/**
 * Returns the error for an unknown adapter. A missing prefix or package is more likely than a typo.
 */
function notFound(pattern: string, all: readonly ListedModule[]): UserError {
  const patterns = all.flatMap(({ adapters }) => adapters.map((each) => each.pattern));
  const completed = patterns.filter(
    (each) =>
      each.endsWith(`/${pattern}`) ||
      each.endsWith(`:${pattern}`) ||
      each.startsWith(`${pattern}:`),
  );
  const meant = completed.length > 0 ? completed.slice(0, 5) : [closest(pattern, patterns) ?? ""];
  const names = meant.filter((each) => each !== "").map((each) => `"${each}"`);
  const modules = all.map(({ module }) => module).join(", ");
  const fixes =
    names.length === 0
      ? { fix: listAll }
      : {
          fix: `Did you mean ${names.join(" or ")}?`,
          otherwise: ["list all adapters with qvs describe --module"],
        };
  return new UserError([
    {
      code: "unknown-pattern",
      where: [],
      what: `Adapter "${pattern}" doesn't exist`,
      facts: [{ label: "modules", value: modules }],
      ...fixes,
    },
  ]);
}
