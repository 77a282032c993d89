import { parseConfig } from "../config/parse-config.ts";
import { configDocument } from "../editors/config-schema.ts";
import { paramsDocument } from "../editors/params-schema.ts";
import type { JsonObject } from "../model/json.ts";
import { UserError } from "../model/problems/errors.ts";
import { failed, resultProblems } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import { type AdapterSearch, selectConfigs } from "../sources/adapter-modules.ts";
import { missingFile } from "../sources/missing-file.ts";
import { describeAll } from "./describe.ts";

/**
 * The JSON Schema of configs with the same modules, and the adapters whose parameters it doesn't
 * describe.
 */
export interface ConfigSchema {
  readonly schema: JsonObject;
  readonly notDescribed: readonly string[];
}

/**
 * Returns the schema of a config (docs/reference/cli/schema.md). Throws a UserError if the
 * modules can't be read.
 */
export async function buildConfigSchema(
  world: World,
  search: AdapterSearch,
): Promise<ConfigSchema> {
  const { adapters, failures } = await describeAll(world, search);
  const notDescribed = failures.map(({ pattern }) => pattern);
  return { schema: configDocument({ described: adapters, others: notDescribed }), notDescribed };
}

/**
 * Returns the schema of parameter files, for one config or for all of the repository, which can
 * share files.
 */
export async function buildParamsSchema(world: World, search: AdapterSearch): Promise<JsonObject> {
  const configs = await selectConfigs(world, search);
  if (configs.length === 0) {
    throw new UserError([
      {
        code: "config-not-found",
        where: [],
        what: "No config exists here",
        fix: "Choose a config with --config",
        otherwise: ["use schema/params.schema.json of qvs, which is for any params file"],
      },
    ]);
  }
  const parsed = await Promise.all(
    configs.map(async (file) => {
      const text = await world.source.tree.read(file);
      if (text !== undefined) return parseConfig(file, text);
      return failed<never>([await missingFile(world.source.tree, "config", file)]);
    }),
  );
  const problems = parsed.flatMap(resultProblems);
  if (problems.length > 0) throw new UserError(problems);
  return paramsDocument(parsed.flatMap((each) => (each.ok ? each.value.params : [])));
}
