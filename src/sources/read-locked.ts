import type { ParsedFiles, ParsedInput } from "../config/inputs/parsed-input.ts";
import { type GitModule, isGitModule } from "../config/lockfile/verify-module.ts";
import { parseConfig } from "../config/parse-config.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { failed, ok, type Result, resultProblems } from "../model/problems/problem.ts";
import type { PlacedChart } from "../model/sources/remote-chart.ts";
import type { ConfigSource } from "../ports/world.ts";
import { missingDependencies } from "./charts/chart-dependencies.ts";
import { missingFile } from "./missing-file.ts";

/** Everything of a config that the lockfile contains. */
export interface LockedSources {
  readonly config: string;
  readonly modules: readonly GitModule[];
  readonly charts: readonly PlacedChart[];
  /** The kustomizations, which can name remote bases. */
  readonly kustomizations: readonly ParsedFiles[];
  /** True if it uses adapters, which can declare charts. */
  readonly hasAdapters: boolean;
}

/**
 * Reads the Git modules of a config, its charts of registries, and those of its charts. Only a
 * rendering shows the remote bases of its kustomizations, and only a compilation the charts of its
 * adapters.
 */
export async function readLocked(
  { tree }: ConfigSource,
  config: string,
): Promise<Result<LockedSources>> {
  const text = await tree.read(config);
  if (text === undefined) return failed([await missingFile(tree, "config", config)]);
  const parsed = parseConfig(config, text);
  if (!parsed.ok) return parsed;
  const charts = await Promise.all(
    parsed.value.fileEntries.map(async (entry): Promise<Result<readonly PlacedChart[]>> => {
      if (entry.form !== "helm") return ok([]);
      if (entry.remote !== undefined) return ok([entry.remote]);
      const missing = await catchProblems(() => missingDependencies(tree, entry));
      const found = missing.ok ? missing.value : missing;
      return found.ok ? ok(found.value.map(({ chart }) => chart)) : found;
    }),
  );
  const problems = charts.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  return ok({
    config,
    kustomizations: parsed.value.fileEntries.filter(isKustomization),
    modules: parsed.value.modules.filter(isGitModule),
    hasAdapters: parsed.value.designPatterns.length > 0,
    charts: charts.flatMap((each) => (each.ok ? each.value : [])),
  });
}

function isKustomization(entry: ParsedInput): entry is ParsedFiles {
  return entry.form === "kustomize";
}
