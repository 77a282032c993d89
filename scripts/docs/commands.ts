import { PassThrough } from "node:stream";
import type { Command, Option } from "commander";
import { buildProgram } from "../../src/cli/program/build-program.ts";
import { allCommands } from "../../src/cli/program/command-table.ts";
import { examples } from "../../src/cli/program/examples.ts";
import { code, sentence, table } from "./table.ts";

/** The number of commands that have a common flag. */
const manyCommands = 6;

/** The order of the groups of flags; groups of a single command are first. */
const groupOrder = ["Target", "Cluster", "Options", "Safety"];

const tool = await buildAll();

/** Returns the names of the commands in order of the alphabet. */
export function commandNames(): readonly string[] {
  return shownCommands()
    .map((command) => command.name())
    .toSorted();
}

/** Returns a table of all commands, with links to their pages. */
export function commands(): string {
  const rows = shownCommands().flatMap((command) => {
    const page = `cli/${command.name()}.md`;
    const inner = command.commands.map((each) => {
      const name = `qvs ${command.name()} ${each.name()}`;
      return [`[${code(name)}](${page}#${name.replaceAll(" ", "-")})`, purposeOf(each)];
    });
    return [[`[${code(`qvs ${command.name()}`)}](${page})`, purposeOf(command)], ...inner];
  });
  return table(["Command", "Purpose"], rows);
}

export function globalFlags(): string {
  return flagsOf(tool.options);
}

/** Returns a table of the flags that many commands have with the same meaning. */
export function commonFlags(): string {
  const all = shownCommands().flatMap((each) => [each, ...each.commands]);
  const byRow = new Map<string, Option[]>();
  for (const option of all.flatMap(({ options }) => options.filter(({ hidden }) => !hidden))) {
    const key = `${option.flags} ${option.description} ${option.argChoices?.join() ?? ""}`;
    byRow.set(key, [...(byRow.get(key) ?? []), option]);
  }
  const common = [...byRow.values()].filter(({ length }) => length >= manyCommands);
  return flagsOf(common.flatMap(([first]) => first ?? []));
}

/** Returns the page of a command below its title, with the facts of its help. */
export function commandPage(name: string): string {
  const command = shownCommands().find((each) => each.name() === name);
  if (command === undefined) throw new Error(`No command is called ${name}`);
  const inner = command.commands.flatMap((each) => innerSection(each, `${name} ${each.name()}`));
  return [...introduction(command, name), groupsOf(command), ...inner].filter(Boolean).join("\n\n");
}

/** Returns the section of a subcommand. */
function innerSection(command: Command, name: string): readonly string[] {
  return [`## qvs ${name}`, ...introduction(command, name), flagsOf(command.options)];
}

function introduction(command: Command, name: string): readonly string[] {
  const usage = `qvs ${name} ${command.usage()}`.trimEnd();
  return [
    purposeOf(command),
    `\`\`\`text\n${usage}\n\`\`\``,
    examplesOf(name),
    argumentsOf(command),
  ].filter(Boolean);
}

function purposeOf(command: Command): string {
  return sentence(command.description());
}

/**
 * Returns the flags by the groups of the help. A heading for each group makes it a search result.
 */
function groupsOf({ options }: Command): string {
  const groups = new Map<string, Option[]>();
  for (const option of options) {
    const title = (option.helpGroupHeading ?? "Options").replace(/:$/, "");
    groups.set(title, [...(groups.get(title) ?? []), option]);
  }
  const rank = (title: string) => groupOrder.indexOf(title);
  const sorted = [...groups].toSorted(([a], [b]) => rank(a) - rank(b));
  const sections = sorted.flatMap(([title, each]) => {
    const flags = flagsOf(each);
    return flags === "" ? [] : [`### ${title}\n\n${flags}`];
  });
  return sections.length === 0 ? "" : ["## Flags", ...sections].join("\n\n");
}

function examplesOf(name: string): string {
  const found = examples[name] ?? [];
  const lines = found.map(({ line, effect }) => `# ${effect}\n${line}`);
  return `Examples:\n\n\`\`\`text\n${lines.join("\n\n")}\n\`\`\``;
}

function argumentsOf({ registeredArguments: known }: Command): string {
  const rows = known.map((one) => {
    const { text, usual } = withoutDefault(one.description);
    const isSet = one.defaultValue !== undefined;
    const otherwise = isSet ? code(String(one.defaultValue)) : one.required ? "required" : "none";
    return [
      code(one.name()),
      usual === undefined ? otherwise : shownDefault(usual),
      `${escaped(text)}${choicesOf(one.argChoices)}`,
    ];
  });
  return rows.length === 0 ? "" : table(["Argument", "Default", "Meaning"], rows);
}

function flagsOf(options: readonly Option[]): string {
  const rows = options.filter(({ hidden }) => !hidden).map(flagRow);
  return rows.length === 0 ? "" : table(["Flag", "Default", "Meaning"], rows);
}

function flagRow(option: Option): readonly string[] {
  const { text, usual } = withoutDefault(option.description);
  const meaning = `${escaped(text)}${choicesOf(option.argChoices)}`;
  return [
    code(option.flags),
    usual === undefined ? defaultOf(option) : shownDefault(usual),
    meaning,
  ];
}

/** Separates `(default: …)` at the end of a description. */
function withoutDefault(description: string): { text: string; usual: string | undefined } {
  const [, text = description, usual] = /^(.*?)(?: \(default: (.*)\))?$/s.exec(description) ?? [];
  return { text, usual };
}

/** Returns a description as Markdown: a sentence with its flags in code. */
function escaped(text: string): string {
  return sentence(text)
    .replaceAll(/(?<![\w-])--?[a-z][a-z-]*\b/g, code)
    .replaceAll("<", "&lt;");
}

/** Returns a default, in code if it is a value and not a description. */
function shownDefault(text: string): string {
  return /^(?=\S*[\d/.])\S+$/.test(text) ? code(text) : text;
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : ` One of ${choices.map(code).join(", ")}.`;
}

function defaultOf({ defaultValue, defaultValueDescription, required, optional }: Option): string {
  if (typeof defaultValue === "boolean") return defaultValue ? "on" : "off";
  if (defaultValue === undefined) return required || optional ? "none" : "off";
  return code(defaultValueDescription ?? String(defaultValue));
}

/** Returns the commands that users call. Shells call `__complete`. */
function shownCommands(): readonly Command[] {
  return tool.commands.filter((each) => !["help", "__complete"].includes(each.name()));
}

function buildAll(): Promise<Command> {
  const silent = new PassThrough();
  const chdir = () => {};
  const shell = { argv: [], env: {}, cwd: () => "/", chdir, stdout: silent, stderr: silent };
  return buildProgram(() => Promise.resolve(), shell, allCommands);
}
