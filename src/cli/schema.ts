import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Argument, type Command, Option } from "commander";
import { buildConfigSchema, buildParamsSchema } from "../commands/schema.ts";
import { deploymentsDocument } from "../editors/config-schema.ts";
import type { JsonObject } from "../model/json.ts";
import { type UserError, userError } from "../model/problems/errors.ts";
import type { World } from "../ports/world.ts";
import type { AdapterSearch } from "../sources/adapter-modules.ts";
import { replaceFile, unwritable } from "./files/replace-file.ts";
import { rejectLinks } from "./files/replace-files.ts";
import { pathInRepository } from "./flags/options.ts";
import { print, printJson } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

const files = ["config", "deployments", "params"] as const;
type SchemaKind = (typeof files)[number];

interface SchemaFlags {
  readonly config?: string;
  readonly deployment?: string;
  readonly output?: string;
}

export function defineSchema(command: Command, run: RunCommand): void {
  command
    .addArgument(new Argument("<file>", "kind of file").choices(files))
    .optionsGroup("Target:")
    .option(
      "-c, --config <file>",
      "config whose adapters and parameters the schema allows (default: all)",
    )
    .addOption(
      new Option(
        "-d, --deployment <name>",
        "deployment whose config the schema is for (default: all)",
      ).conflicts("config"),
    )
    .optionsGroup("Options:")
    .option("-o, --output <file>", ".json file to write (default: print)")
    .action((file: SchemaKind, flags: SchemaFlags) =>
      run({ quiet: true }, async (world, shell) => {
        if (file === "deployments" && (flags.config ?? flags.deployment)) throw sameForAll();
        const schema = await buildSchema(file, adapterSearch(flags, world, shell), world, shell);
        if (flags.output === undefined) printJson(shell.stdout, schema);
        else await writeSchema(flags.output, schema, shell);
        return exitCode.done;
      }),
    );
}

function sameForAll(): UserError {
  return userError(
    "conflicting-flags",
    "The schema of deployments.yaml is the same for every config",
    "Remove --config and --deployment",
  );
}

function adapterSearch(
  { config, deployment }: SchemaFlags,
  world: World,
  shell: Shell,
): AdapterSearch {
  return {
    config: config === undefined ? undefined : pathInRepository(world, shell, config),
    deployment,
    folder: pathInRepository(world, shell, "."),
  };
}

async function buildSchema(
  file: SchemaKind,
  search: AdapterSearch,
  world: World,
  shell: Shell,
): Promise<JsonObject> {
  switch (file) {
    case "config": {
      const { schema, notDescribed } = await buildConfigSchema(world, search);
      for (const pattern of notDescribed)
        print(
          shell.stderr,
          `The schema doesn't describe the params of ${pattern}: see qvs describe ${pattern}`,
        );
      return schema;
    }
    case "deployments":
      return deploymentsDocument();
    case "params":
      return buildParamsSchema(world, search);
  }
}

/** Writes the schema. An existing file is overwritten, so the name must end in .json. */
async function writeSchema(output: string, schema: JsonObject, shell: Shell): Promise<void> {
  if (!output.endsWith(".json")) {
    const what = `"${output}" doesn't end in .json`;
    throw userError("output-not-writable", what, "Choose a file that ends in .json with --output");
  }
  const file = resolve(shell.cwd(), output);
  await rejectLinks(shell.cwd(), dirname(file), [file.slice(dirname(file).length + 1)]);
  try {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, `${JSON.stringify(schema, null, 2)}\n`);
  } catch (error) {
    throw unwritable(error, output, "Choose a writable file with --output");
  }
  print(shell.stdout, `Wrote ${output}`);
}
