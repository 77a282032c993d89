import { Command, CommanderError, Help, type Option } from "commander";
import { plainLines } from "../../redaction/terminal.ts";
import { blanks, breakLine } from "../../redaction/wrap.ts";
import { versionText } from "../../world/version.ts";
import { commanderOutput, explainMisuse, unknownCommand } from "../output/explain-misuse.ts";
import { print } from "../output/print.ts";
import { commandTable, type ListedCommand, usageOf } from "./command-table.ts";
import { addExamples } from "./examples.ts";
import type { RunCommand } from "./run-cli.ts";
import { outputColumns, type Shell } from "./shell.ts";

/**
 * Builds `qvs` with all its commands. Only the commands in `loaded` have their arguments, flags and
 * actions; the others can only be listed.
 */
export async function buildProgram(
  run: RunCommand,
  shell: Shell,
  loaded: ReadonlySet<string>,
): Promise<Command> {
  const qvs = new Command("qvs")
    .description("Preview and deploy Kubernetes applications from CUE adapters.")
    .option("-V, --version", "show the version, the build and the CUE version")
    .option(
      "-C <directory>",
      "run in this directory; each further -C is relative to the one before",
    )
    .addHelpText("after", ({ error }) =>
      firstSteps(outputColumns(error ? shell.stderr : shell.stdout)),
    )
    .configureOutput(commanderOutput(shell))
    .configureHelp({ optionDescription: describeOption, subcommandTerm: listedTerm })
    .showSuggestionAfterError()
    .showHelpAfterError("  help: qvs --help shows the commands")
    .exitOverride();
  qvs
    .on("option:version", () => showVersion(qvs, shell))
    .on("option:C", (folder: string) => {
      changeDirectory(qvs, shell, folder);
    });
  for (const listed of commandTable) await addCommand(qvs, listed, { run, shell, loaded });
  addHelp(qvs);
  return explainMisuse(qvs, shell);
}

interface ProgramParts {
  readonly run: RunCommand;
  readonly shell: Shell;
  readonly loaded: ReadonlySet<string>;
}

async function addCommand(
  qvs: Command,
  { name, group, summary, load }: ListedCommand,
  { run, shell, loaded }: ProgramParts,
): Promise<void> {
  if (group !== undefined) qvs.commandsGroup(group);
  const command = qvs.command(name, { hidden: group === undefined }).description(summary);
  if (!loaded.has(name)) return;
  const define = await load();
  define(command, run, shell);
  prepare(command, name);
}

/** Returns a command with its usage, as the help lists it. */
function listedTerm(command: Command): string {
  const isTopLevel = command.parent !== null && command.parent.parent === null;
  const usage = isTopLevel ? usageOf(command.name()) : undefined;
  return usage === undefined
    ? new Help().subcommandTerm(command)
    : `${command.name()} ${usage}`.trimEnd();
}

/** Configures a command and its subcommands, such as `get deployments`. */
function prepare(command: Command, name: string): void {
  const has = command.commands.length > 0 ? "commands" : "flags";
  command
    .helpCommand(false)
    .showHelpAfterError(`  help: qvs ${name} --help shows its ${has}`)
    .exitOverride();
  if (name !== "__complete") addExamples(command, name);
  rejectRepeatedOptions(command);
  for (const inner of command.commands) prepare(inner, `${name} ${inner.name()}`);
}

/** Prints the version. It replaces commander's option, which needs the text at every start. */
function showVersion(qvs: Command, shell: Shell): never {
  print(shell.stdout, versionText());
  throw new CommanderError(0, "commander.version", qvs.name());
}

function changeDirectory(qvs: Command, shell: Shell, folder: string): void {
  try {
    shell.chdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "it doesn't exist" : code === "ENOTDIR" ? "it is a file" : code;
    qvs.error(`error: can't run in '${folder}': ${why}`);
  }
}

/**
 * Adds the help command. It replaces commander's command, which prints the general help for an
 * unknown command.
 */
function addHelp(qvs: Command): void {
  qvs
    .helpCommand(false)
    .command("help")
    .argument("[command...]")
    .description("show the help of a command")
    .exitOverride()
    .action((names: readonly string[]) => {
      let command = qvs;
      for (const name of names) command = findCommand(command, name);
      return command.outputHelp();
    });
}

function findCommand(within: Command, name: string): Command {
  const found = within.commands.find((command) => command.name() === name);
  return found ?? unknownCommand(within, name);
}

/**
 * Rejects a second --config, and a second --deployment unless the command collects several: a user
 * who names two wants both, but would get only the last one.
 * For other options the last value applies, as is usual. A script can therefore set defaults in
 * front of a user's flags.
 */
function rejectRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    if (!["deployment", "config"].includes(option.name())) continue;
    if (option.parseArg !== undefined) continue;
    let given = 0;
    command.on(`option:${option.name()}`, () => {
      given += 1;
      if (given > 1) command.error(`error: option '${option.flags}' is given more than once`);
    });
  }
}

const steps = [
  [
    "In a new repository",
    [
      ["qvs init", "write a first adapter, its deployments and workflows"],
      ["qvs init --from k8s/", "write an adapter from the manifests of a directory"],
    ],
  ],
  [
    "In a repository with .valuestream/qvs.yaml",
    [
      ["qvs diff", "show what a deployment would change"],
      ["qvs deploy", "apply, wait until all objects are ready, delete old objects"],
      ["qvs rollback --to previous", "restore the previous release"],
    ],
  ],
] as const;

const column = 30;

/**
 * Returns the first steps for new users, below the help of `qvs`. Lines have at most `width`
 * columns.
 */
function firstSteps(width: number): string {
  const lines = steps.flatMap(([where, commands]) => [
    `${where}:`,
    ...commands.flatMap(([command, does]) =>
      breakLine(plainLines(`  ${command.padEnd(column - 2)}${does}`), width, blanks(column)),
    ),
  ]);
  return ["", ...lines].join("\n");
}

/**
 * Returns the description of a flag for the help. The default stands last, also if commander
 * doesn't know it because a missing flag has a meaning of its own.
 */
function describeOption(option: Option): string {
  return new Help()
    .optionDescription(option)
    .replace(/ \((default: [^()]*)\) \((choices: [^()]*)\)$/, " ($2, $1)");
}
