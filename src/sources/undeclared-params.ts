import { findConfigs } from "../config/discover-deployments.ts";
import { type ParsedConfig, parseConfig } from "../config/parse-config.ts";
import type { GivenParam } from "../config/parse-params.ts";
import type { Problem } from "../model/problems/problem.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import type { SourceTree } from "../ports/git.ts";
import type { ConfigSource } from "../ports/world.ts";

/**
 * Reports values in params files whose names no config of the repository declares
 * (docs/reference/qvs-yaml.md#sources-of-values).
 * Configs share files, so a name that another config declares isn't an error. A name that no config
 * declares is a misspelling, and qvs would deploy the default instead.
 */
export async function findUndeclaredParams(
  { declaredParams }: ConfigSource,
  config: ParsedConfig,
  given: readonly GivenParam[],
): Promise<readonly Problem[]> {
  const own = paramNames(config);
  const unknown = given.filter(({ name, origin: by }) => by === "file" && !own.includes(name));
  if (unknown.length === 0) return [];
  const elsewhere = await declaredParams();
  return unknown
    .filter(({ name }) => !elsewhere.has(name))
    .map(({ name, value }) => ({
      code: "unknown-parameter" as const,
      where: [value.where],
      what: `Parameter "${name}" isn't declared in any config`,
      ...suggest(
        closest(name, own),
        `Declare "${name}" under params in ${config.file}`,
        "correct the name",
        "remove the value",
      ),
    }));
}

/**
 * Returns the params that any config of a tree declares. They are read once, at the first request,
 * because hundreds of deployments can share a file.
 */
export function createParamLookup(tree: SourceTree): ConfigSource["declaredParams"] {
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
      return parsed?.ok ? paramNames(parsed.value) : [];
    }),
  );
  return new Set(names.flat());
}

function paramNames({ params }: ParsedConfig): readonly string[] {
  return params.map(({ name }) => name);
}
