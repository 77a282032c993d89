import { PassThrough } from "node:stream";
import type { Command, Option } from "commander";
import { examples } from "../../src/cli/examples.ts";
import { program } from "../../src/cli/run.ts";
import { code, sentence, table } from "./table.ts";

/** Returns a section for each command, with the facts of its help. */
export function commands(): string {
  const qvs = tool();
  // Shells call the second one.
  const shown = qvs.commands.filter((each) => !["help", "__complete"].includes(each.name()));
  const sections = shown.flatMap((command) => sectionsOf(command, `qvs ${command.name()}`));
  return [`## Global flags\n\n${flagsOf(qvs)}`, ...sections].join("\n\n");
}

/** Returns the section of a command, and those of its subcommands. */
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
    examplesOf(name),
    argumentsOf(command),
    flagsOf(command),
  ];
  return parts.filter(Boolean).join("\n\n");
}

function examplesOf(name: string): string {
  const found = examples[name.replace("qvs ", "")] ?? [];
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

function flagsOf({ options }: Command): string {
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

function tool(): Command {
  const silent = new PassThrough();
  const chdir = () => {};
  const shell = { argv: [], env: {}, cwd: () => "/", chdir, stdout: silent, stderr: silent };
  return program(() => Promise.resolve(), shell);
}
