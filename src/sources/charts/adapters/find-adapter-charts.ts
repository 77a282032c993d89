import type { GivenParam } from "../../../config/parse-params.ts";
import { chartProvider } from "../../../model/compilation.ts";
import type { ParamType } from "../../../model/config.ts";
import type { Deployment } from "../../../model/deployment.ts";
import { catchProblems } from "../../../model/problems/errors.ts";
import type { Position, Problem } from "../../../model/problems/problem.ts";
import type { PlacedChart } from "../../../model/remote-chart.ts";
import type { YamlNode } from "../../../model/yaml-node.ts";
import type { SourceTree } from "../../../ports/git.ts";
import type { ConfigSource } from "../../../ports/world.ts";
import { bindRead, type ReadDeployment, readDeployment } from "../../bind-deployment.ts";
import { type OpenModule, openModules } from "../../open-modules.ts";
import { readAdapterCharts } from "./adapter-charts.ts";

/** The charts that the adapters of a deployment declare. */
export interface FoundCharts {
  readonly charts: readonly PlacedChart[];
  /** False if the deployment doesn't compile, so that other charts can exist. */
  readonly isComplete: boolean;
  /** The reasons why a chart can't be named. */
  readonly notices: readonly Problem[];
}

/**
 * Finds the charts of adapters for the lockfile. Only a compilation shows them. A parameter without
 * a value in a file gets a placeholder, because most charts don't depend on such parameters.
 */
export async function findAdapterCharts(
  source: ConfigSource,
  deployment: Deployment,
): Promise<FoundCharts> {
  const read = await catchProblems(() => readDeployment(source, deployment, []));
  const found = read.ok ? read.value : read;
  // Other commands report the errors of a config.
  if (!found.ok) return unknownCharts;
  const { parsed } = found.value;
  if (parsed.designPatterns.length === 0) return noCharts;
  const opened = await openModules(source, parsed);
  if (!opened.ok) return unknownCharts;
  if (!(await mentionCharts(source.tree, opened.value.modules))) return noCharts;
  const bound = await bindRead(source, withPlaceholders(found.value));
  if (!bound.ok) return incomplete(deployment, bound.problems);
  const { request, params } = bound.value;
  const compiled = await source.compiler.compile({ ...request, awaitsCharts: true });
  if (!compiled.ok) return incomplete(deployment, compiled.problems);
  const use = { config: request.config, params, inline: [], namespace: found.value.namespace };
  const charts = readAdapterCharts(compiled.value.resources, use);
  if (!charts.ok) return incomplete(deployment, charts.problems);
  return {
    charts: charts.value.charts.flatMap(({ entry }) => entry.remote ?? []),
    isComplete: true,
    notices: [...charts.value.problems.values()].flat(),
  };
}

const noCharts: FoundCharts = { charts: [], isComplete: true, notices: [] };
const unknownCharts: FoundCharts = { ...noCharts, isComplete: false };

/**
 * Reports whether a module contains the name of the provider. Most modules don't, and their
 * deployments needn't be compiled for the lockfile.
 */
async function mentionCharts(tree: SourceTree, modules: readonly OpenModule[]): Promise<boolean> {
  for (const module of modules) if (await mentionsProvider(tree, module)) return true;
  return false;
}

async function mentionsProvider(
  tree: SourceTree,
  { reference, root }: OpenModule,
): Promise<boolean> {
  const { files } = root;
  if (files.in === "memory")
    return files.files.values().some((text) => text.includes(chartProvider));
  const { source } = reference;
  // A module of Git on disk is in the cache, and only the compiler reads it.
  if (source.from === "git") return true;
  const prefix = source.path === "" ? "" : `${source.path}/`;
  const paths = (await tree.list([".cue"])).filter((path) => path.startsWith(prefix));
  for (const path of paths) {
    const text = await catchProblems(() => tree.read(path));
    if (!text.ok || text.value?.includes(chartProvider)) return true;
  }
  return false;
}

/** Gives a value to each parameter that has none. */
function withPlaceholders(read: ReadDeployment): ReadDeployment {
  const given = new Set(read.given.map(({ name }) => name));
  const added = read.parsed.params
    .filter(({ name }) => !given.has(name))
    .map(({ name, type, where }): GivenParam => {
      return { name, value: placeholders[type](where), origin: "file" };
    });
  return { ...read, given: [...read.given, ...added] };
}

/** A value of each type. "1" is valid as a name, a label, a number and the tag of an image. */
const placeholders: Readonly<Record<ParamType, (where: Position) => YamlNode>> = {
  string: (where) => ({ kind: "scalar", value: "1", source: "1", where }),
  int: (where) => ({ kind: "scalar", value: 1, source: "1", where }),
  bool: (where) => ({ kind: "scalar", value: false, source: "false", where }),
  array: (where) => ({ kind: "list", items: [], where }),
  object: (where) => ({ kind: "map", entries: [], where }),
  secret: (where) => ({
    kind: "map",
    where,
    entries: [
      {
        name: "key",
        key: { kind: "scalar", value: "key", source: "key", where },
        value: { kind: "scalar", value: "placeholder", source: "placeholder", where },
      },
    ],
  }),
};

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
