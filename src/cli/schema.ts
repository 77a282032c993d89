import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Argument, type Command, Option } from "commander";
import { schemaOfConfig, schemaOfParams } from "../commands/schema.ts";
import { deploymentsDocument } from "../editors/deployments-schema.ts";
import type { JsonObject } from "../model/json.ts";
import { type UserError, userError } from "../model/problems/errors.ts";
import type { World } from "../ports/world.ts";
import type { AdapterSearch } from "../sources/adapter-modules.ts";
import { refuseLinks } from "./files/refuse-links.ts";
import { pathInRepository } from "./flags/options.ts";
import { exitCode } from "./output/failure.ts";
import { print, printJson } from "./output/print.ts";
import type { RunCommand } from "./run.ts";
import type { Shell } from "./shell.ts";

const files = ["config", "deployments", "params"] as const;
type SchemaOf = (typeof files)[number];

interface SchemaFlags {
  readonly config?: string;
  readonly deployment?: string;
  readonly output?: string;
}

export function addSchema(program: Command, run: RunCommand): void {
  program
    .command("schema")
    .description("print a JSON Schema of a config file, for editors")
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
    .action((file: SchemaOf, flags: SchemaFlags) =>
      run({ quiet: true }, async (world, shell) => {
        if (file === "deployments" && (flags.config ?? flags.deployment)) throw sameForAll();
        const schema = await schemaOf(file, searchBy(flags, world, shell), world, shell);
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
    "Leave out --config and --deployment",
  );
}

function searchBy({ config, deployment }: SchemaFlags, world: World, shell: Shell): AdapterSearch {
  return {
    config: config === undefined ? undefined : pathInRepository(world, shell, config),
    deployment,
    folder: pathInRepository(world, shell, "."),
  };
}

async function schemaOf(
  file: SchemaOf,
  search: AdapterSearch,
  world: World,
  shell: Shell,
): Promise<JsonObject> {
  switch (file) {
    case "config": {
      const { schema, notDescribed } = await schemaOfConfig(world, search);
      for (const pattern of notDescribed)
        print(shell.stderr, `The params of ${pattern} are left open: see qvs describe ${pattern}`);
      return schema;
    }
    case "deployments":
      return deploymentsDocument();
    case "params":
      return schemaOfParams(world, search);
  }
}

/** Writes the schema. An existing file is overwritten, so the name must end in .json. */
async function writeSchema(output: string, schema: JsonObject, shell: Shell): Promise<void> {
  if (!output.endsWith(".json")) {
    const what = `${output} is no name for a JSON Schema`;
    throw userError("output-not-writable", what, "Give --output a file that ends in .json");
  }
  const file = resolve(shell.cwd(), output);
  await refuseLinks(shell.cwd(), dirname(file), [file.slice(dirname(file).length + 1)]);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const what = `${output} cannot be written (${code})`;
    throw userError("output-not-writable", what, "Give --output a file that you may write");
  }
  print(shell.stdout, `Wrote ${output}`);
}
