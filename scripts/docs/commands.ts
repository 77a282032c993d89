import { PassThrough } from "node:stream";
import type { Command, Option } from "commander";
import { program } from "../../src/cli/run.ts";
import { code, sentence, table } from "./table.ts";

/** Every command as its own help tells it. */
export function commands(): string {
  const qvs = tool();
  // The second is for shells.
  const shown = qvs.commands.filter((each) => !["help", "__complete"].includes(each.name()));
  const sections = shown.flatMap((command) => sectionsOf(command, `qvs ${command.name()}`));
  return [`## Flags before a command\n\n${flagsOf(qvs)}`, ...sections].join("\n\n");
}

/** Also of the commands within it. */
function sectionsOf(command: Command, name: string): readonly string[] {
  const inner = command.commands.flatMap((each) => sectionsOf(each, `${name} ${each.name()}`));
  return [section(command, name), ...inner];
}

function section(command: Command, name: string): string {
  const usage = `${name} ${command.usage()}`.trimEnd();
  const parts = [
    `## ${name}`,
    sentence(command.description()),
    `\`\`\`text\n${usage}\n\`\`\``,
    argumentsOf(command),
    flagsOf(command),
  ];
  return parts.filter(Boolean).join("\n\n");
}

function argumentsOf({ registeredArguments: known }: Command): string {
  const rows = known.map((one) => {
    const { description, argChoices, defaultValue } = one;
    const usual = defaultValue === undefined ? "" : ` Without it ${code(String(defaultValue))}.`;
    return [code(one.name()), `${sentence(description)}${choicesOf(argChoices)}${usual}`];
  });
  return rows.length === 0 ? "" : table(["argument", "meaning"], rows);
}

function flagsOf({ options }: Command): string {
  const rows = options.filter(({ hidden }) => !hidden).map(flagRow);
  return rows.length === 0 ? "" : table(["flag", "default", "meaning"], rows);
}

function flagRow(option: Option): readonly string[] {
  const { argChoices, mandatory } = option;
  const required = mandatory ? " Required." : "";
  const meaning = sentence(option.description).replaceAll("<", "&lt;");
  return [code(option.flags), defaultOf(option), `${meaning}${choicesOf(argChoices)}${required}`];
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : ` One of ${choices.map(code).join(", ")}.`;
}

/** Of a flag without a value, the default says nothing that its name does not. */
function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValue === undefined || typeof defaultValue === "boolean") return "";
  return code(defaultValueDescription ?? String(defaultValue));
}

function tool(): Command {
  const silent = new PassThrough();
  const chdir = () => {};
  const shell = { argv: [], env: {}, cwd: () => "/", chdir, stdout: silent, stderr: silent };
  return program(() => Promise.resolve(), shell);
}
