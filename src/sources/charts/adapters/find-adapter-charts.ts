import { chartLockKey } from "../../../config/lockfile/lockfile.ts";
import type { GivenParam } from "../../../config/parse-params.ts";
import type { Deployment } from "../../../model/deployments/deployment.ts";
import { catchProblems } from "../../../model/problems/errors.ts";
import type { Position, Problem, Result } from "../../../model/problems/problem.ts";
import { chartProvider } from "../../../model/sources/compilation.ts";
import type { ParamType } from "../../../model/sources/config.ts";
import type { PlacedChart } from "../../../model/sources/remote-chart.ts";
import type { YamlNode, YamlScalar } from "../../../model/sources/yaml-node.ts";
import type { SourceTree } from "../../../ports/git.ts";
import type { ConfigSource } from "../../../ports/world.ts";
import {
  type BoundDeployment,
  bindRead,
  type ReadDeployment,
  readDeployment,
} from "../../bind-deployment.ts";
import { type OpenModule, openModules } from "../../open-modules.ts";
import { readAdapterCharts } from "./adapter-charts.ts";
import { filesOfModule, findReachableCharts, type ReachableCharts } from "./reachable-charts.ts";

/** The charts that the adapters of a deployment declare. */
export interface FoundCharts {
  readonly charts: readonly PlacedChart[];
  /**
   * False if other charts can exist: the deployment doesn't compile, or it uses a parameter that
   * only the command line sets.
   */
  readonly isComplete: boolean;
  /** The reasons why a chart can't be named. */
  readonly notices: readonly Problem[];
  /** Finds the charts that can exist. Undefined if every chart can. */
  readonly findReachable?: () => Promise<ReachableCharts>;
}

/** Finds the charts of adapters of one deployment. */
export type FindAdapterCharts = (deployment: Deployment) => Promise<FoundCharts>;

/** Returns a function that finds the charts of adapters. It searches each module once. */
export function createChartFinder(source: ConfigSource): FindAdapterCharts {
  const mentions = new Map<string, Promise<boolean>>();
  const mentionCharts: MentionCharts = async (modules) => {
    for (const module of modules) {
      const { reference, commit } = module;
      const key = JSON.stringify([reference.source, commit]);
      const known = mentions.get(key) ?? mentionsProvider(source.tree, module);
      mentions.set(key, known);
      if (await known) return true;
    }
    return false;
  };
  return (deployment) => findAdapterCharts(source, deployment, mentionCharts);
}

/**
 * Reports whether a module contains the name of the provider. Most modules don't, and their
 * deployments needn't be compiled for the lockfile.
 */
type MentionCharts = (modules: readonly OpenModule[]) => Promise<boolean>;

/**
 * Finds the charts of adapters for the lockfile. Only a compilation shows them. A parameter without
 * a value in a file gets a placeholder, because most charts don't depend on such parameters. A
 * second placeholder shows which charts do.
 */
async function findAdapterCharts(
  source: ConfigSource,
  deployment: Deployment,
  mentionCharts: MentionCharts,
): Promise<FoundCharts> {
  const read = await catchProblems(() => readDeployment(source, deployment, []));
  const found = read.ok ? read.value : read;
  // Other commands report the errors of a config.
  if (!found.ok) return unknownCharts;
  const { parsed } = found.value;
  if (parsed.designPatterns.length === 0) return noCharts;
  const opened = await openModules(source, parsed);
  if (!opened.ok) return unknownCharts;
  const { modules } = opened.value;
  if (!(await mentionCharts(modules))) return noCharts;
  const first = withPlaceholders(found.value, "one");
  const unset = first.placeholders;
  const findReachable = () =>
    findReachableCharts({ tree: source.tree, deployment, parsed, modules, unset });
  const one = await compileCharts(source, deployment, first);
  if (!one.usesPlaceholders) return { ...one, findReachable };
  const two = await compileCharts(source, deployment, withPlaceholders(found.value, "two"));
  return { ...inBoth(deployment, one, two), findReachable };
}

interface CompiledCharts extends FoundCharts {
  /** True if adapters or files use a parameter with a placeholder. */
  readonly usesPlaceholders: boolean;
}

async function compileCharts(
  source: ConfigSource,
  deployment: Deployment,
  { read, placeholders }: ReadWithPlaceholders,
): Promise<CompiledCharts> {
  const bound = await bindLeniently(source, read);
  if (!bound.ok)
    return { ...incomplete(deployment, bound.problems), usesPlaceholders: placeholders.size > 0 };
  const { request, params } = bound.value;
  const { designPatterns, inputs = [] } = request.config;
  const uses = [...designPatterns, ...inputs].flatMap((use) => use.params);
  const usesPlaceholders = uses.some(({ from }) => from.some((name) => placeholders.has(name)));
  const compiled = await source.compiler.compile({ ...request, lacksCharts: true });
  if (!compiled.ok) return { ...incomplete(deployment, compiled.problems), usesPlaceholders };
  const use = { config: request.config, params, inline: [], namespace: read.namespace };
  const charts = readAdapterCharts(compiled.value.resources, use);
  if (!charts.ok) return { ...incomplete(deployment, charts.problems), usesPlaceholders };
  const { problems } = charts.value;
  return {
    charts: charts.value.charts.flatMap(({ entry }) => entry.remote ?? []),
    // A resource with a wrong property can name a chart that the lockfile contains.
    isComplete: problems.size === 0,
    notices: [...problems.values()].flat(),
    usesPlaceholders,
  };
}

/**
 * Binds a deployment. If its own files can't be read, for example because a chart rejects a
 * placeholder, qvs binds only its adapters.
 */
async function bindLeniently(
  source: ConfigSource,
  read: ReadDeployment,
): Promise<Result<BoundDeployment>> {
  const bound = await bindRead(source, read);
  if (bound.ok || read.parsed.fileEntries.length === 0) return bound;
  const parsed = { ...read.parsed, fileEntries: [] };
  const withoutFiles = await bindRead(source, { ...read, parsed, files: [] });
  return withoutFiles.ok ? withoutFiles : bound;
}

/**
 * Returns the charts that don't depend on a placeholder. With another value than the two
 * placeholders, other charts can exist.
 */
function inBoth(deployment: Deployment, one: CompiledCharts, two: CompiledCharts): FoundCharts {
  const keys = new Set(two.charts.map(chartLockKey));
  const charts = one.charts.filter((chart) => keys.has(chartLockKey(chart)));
  const isSame = charts.length === one.charts.length && charts.length === two.charts.length;
  const notices = [...one.notices, ...two.notices];
  const isExplained = isSame || notices.length > 0;
  return {
    charts,
    isComplete: false,
    notices: isExplained ? notices : [dependsOnParams(deployment)],
  };
}

function dependsOnParams({ name }: Deployment): Problem {
  return {
    code: "charts-unknown",
    where: [],
    what: `The charts of adapters in deployment ${name} depend on parameters`,
    why: "Only the command line sets these parameters",
    fix: "Set them in a parameter file, and run `qvs lock` again",
    otherwise: ["write the name, the address and the version of each chart in the adapter"],
  };
}

const noCharts: FoundCharts = { charts: [], isComplete: true, notices: [] };
const unknownCharts: FoundCharts = { ...noCharts, isComplete: false };

async function mentionsProvider(
  tree: SourceTree,
  { reference, root }: OpenModule,
): Promise<boolean> {
  const { files } = root;
  if (files.in === "memory") return files.files.values().some(canNameProvider);
  const { source } = reference;
  // A module of Git on disk is in the cache, and only the compiler reads it.
  if (source.from === "git") return true;
  const inside = await filesOfModule(tree, source.path);
  if (inside === undefined) return true;
  for (const path of inside.filter((each) => each.endsWith(".cue"))) {
    const text = await catchProblems(() => tree.read(path));
    if (!text.ok || text.value === undefined || canNameProvider(text.value)) return true;
  }
  return false;
}

/** Reports whether a file contains the name of the provider, or includes other files. */
function canNameProvider(text: string): boolean {
  return text.includes(chartProvider) || text.includes("@embed");
}

interface ReadWithPlaceholders {
  readonly read: ReadDeployment;
  /** The parameters with a placeholder. */
  readonly placeholders: ReadonlySet<string>;
}

/** Gives a value to each parameter that has none. */
function withPlaceholders(
  read: ReadDeployment,
  which: keyof typeof variants,
): ReadWithPlaceholders {
  const given = new Set(read.given.map(({ name }) => name));
  const missing = read.parsed.params.filter(({ name }) => !given.has(name));
  const added = missing.map(
    ({ name, type, where }): GivenParam => ({
      name,
      value: placeholder(type, variants[which], where),
      origin: "file",
    }),
  );
  return {
    read: { ...read, given: [...read.given, ...added] },
    placeholders: new Set(missing.map(({ name }) => name)),
  };
}

/** The values of two placeholders. Both texts are valid as names, labels, numbers and tags. */
const variants = {
  one: { string: "1", int: 1, bool: false },
  two: { string: "2", int: 2, bool: true },
} as const;

function placeholder(
  type: ParamType,
  variant: (typeof variants)[keyof typeof variants],
  where: Position,
): YamlNode {
  switch (type) {
    case "string":
    case "int":
    case "bool":
      return scalar(variant[type], where);
    case "array":
      return { kind: "list", items: [], where };
    case "object":
      return { kind: "map", entries: [], where };
    case "secret": {
      const key = scalar("key", where);
      return {
        kind: "map",
        where,
        entries: [{ name: "key", key, value: scalar("placeholder", where) }],
      };
    }
  }
}

function scalar(value: string | number | boolean, where: Position): YamlScalar {
  return { kind: "scalar", value, source: String(value), where };
}

function incomplete({ name }: Deployment, problems: readonly Problem[]): FoundCharts {
  const [first] = problems;
  return {
    charts: [],
    isComplete: false,
    notices: [
      {
        code: "charts-unknown",
        where: first?.where.slice(0, 1) ?? [],
        what: `The charts of adapters in deployment ${name} aren't known`,
        why: `The deployment doesn't compile: ${first?.what ?? "unknown error"}`,
        fix: "Correct this error, and run `qvs lock` again",
        otherwise: ["set the parameters that the adapters need in a parameter file"],
      },
    ],
  };
}
