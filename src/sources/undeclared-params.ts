import { findConfigs } from "../config/discover-deployments.ts";
import { type ParsedConfig, parseConfig } from "../config/parse-config.ts";
import type { GivenParam } from "../config/parse-params.ts";
import type { Problem } from "../model/problems/problem.ts";
import { didYouMean } from "../model/text/closest.ts";
import type { SourceTree } from "../ports/git.ts";
import type { Source } from "../ports/world.ts";

/**
 * Values in params files for names that no config of the repository declares (docs/reference/qvs-yaml.md#sources-of-values).
 * Files are shared by configs, so what another one declares is no mistake; what none does is a name that somebody mistyped, and
 * the default would be deployed in its place.
 */
export async function undeclaredEverywhere(
  { declaredParams }: Source,
  config: ParsedConfig,
  given: readonly GivenParam[],
): Promise<readonly Problem[]> {
  const own = namesIn(config);
  const unknown = given.filter(({ name, by }) => by === "file" && !own.includes(name));
  if (unknown.length === 0) return [];
  const elsewhere = await declaredParams();
  return unknown
    .filter(({ name }) => !elsewhere.has(name))
    .map(({ name, value }) => ({
      code: "unknown-parameter" as const,
      where: [value.where],
      what: `No config declares the parameter "${name}"${didYouMean(name, own)}`,
      fix: `Correct the name, declare it under params in ${config.file}, or leave it out`,
    }));
}

/** The params that any config of a tree declares, read when they are first asked for: hundreds of deployments may share a file. */
export function declaredParamsOf(tree: SourceTree): Source["declaredParams"] {
  let names: Promise<ReadonlySet<string>> | undefined;
  return () => {
    names ??= readDeclared(tree);
    return names;
  };
}

async function readDeclared(tree: SourceTree): Promise<ReadonlySet<string>> {
  const paths = findConfigs(await tree.list([".yaml"]));
  const names = await Promise.all(
    paths.map(async (path) => {
      const text = await tree.read(path);
      const parsed = text === undefined ? undefined : parseConfig(path, text);
      return parsed?.ok ? namesIn(parsed.value) : [];
    }),
  );
  return new Set(names.flat());
}

function namesIn({ params }: ParsedConfig): readonly string[] {
  return params.map(({ name }) => name);
}
