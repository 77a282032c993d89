import type { Command } from "commander";
import { closest } from "../../model/text/suggest.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { paint, plainLines, splitLine, terminal } from "../../redaction/terminal.ts";
import { breakLine } from "../../redaction/wrap.ts";
import { type Output, outputColumns, type Shell } from "../program/shell.ts";

/** Writes the messages of commander with the width and colors of other errors. */
export function commanderOutput({ stdout, stderr }: Shell) {
  return {
    getOutHelpWidth: () => outputColumns(stdout),
    getErrHelpWidth: () => outputColumns(stderr),
    writeOut: (text: string) => void stdout.write(withBoldHeadings(text, stdout)),
    // Commander repeats the arguments that it didn't understand. They can be untrusted.
    writeErr: (text: string) => void stderr.write(formatError(withHelp(text), stderr)),
  };
}

/**
 * Turns the suggestion of commander, `(Did you mean diff?)`, into a help line, and adds one for a
 * value that isn't an allowed choice. Calls an argument of a command by its name alone.
 */
function withHelp(text: string): string {
  const named = text
    .replace(/^\((Did you mean .*\?)\)$/m, "  help: $1")
    .replace(/^error: command-argument value/, "error: value");
  const meant = closestChoice(named);
  return meant === undefined ? named : `${named.trimEnd()}\n  help: Did you mean ${meant}?\n`;
}

/** Returns the choice closest to the value in `'jsn' is invalid. Allowed choices are json.` */
function closestChoice(text: string): string | undefined {
  const [message = "", choices] = text.trimEnd().split(". Allowed choices are ");
  if (choices === undefined) return undefined;
  const quoted = message.split("'");
  const before = quoted.findIndex((part) => / (?:argument|value) $/.test(part));
  const value = quoted[before + 1];
  return value === undefined ? undefined : closest(value, choices.replace(/\.$/, "").split(", "));
}

function formatError(text: string, stream: Output): TerminalText {
  if (!stream.isTTY) return plainLines(text);
  const lines = text.split("\n").flatMap((line) => {
    const isHelp = line.startsWith("  help:");
    const broken = breakLine(plainLines(line), outputColumns(stream), isHelp ? "    " : "  ");
    if (isHelp) return broken.map((each) => paint("cyan", each, stream));
    return line.startsWith(errorLabel)
      ? broken.map((each, index) => (index === 0 ? paintLabel(each, stream) : each))
      : broken;
  });
  return joined(lines, "\n");
}

/** Paints the headings of a help text bold: lines without indentation that end with a colon. */
function withBoldHeadings(text: string, stream: Output): TerminalText {
  const lines = text.split("\n").map((line) => {
    const plain = plainLines(line);
    return /^\S.*:$/.test(line) ? paint("bold", plain, stream) : plain;
  });
  return joined(lines, "\n");
}

const errorLabel = terminal`error:`;

function paintLabel(line: TerminalText, stream: Output): TerminalText {
  const [, message = terminal``] = splitLine(line, errorLabel);
  return terminal`${paint("red", errorLabel, stream)}${message}`;
}

/** Explains habits from other tools: a deployment as an argument, and flags before the command. */
export function explainMisuse(qvs: Command, shell: Shell): Command {
  const [, , ...words] = shell.argv;
  const named = words.find((word) => qvs.commands.some((command) => command.name() === word));
  const [first = ""] = words;
  if (named !== undefined && first !== "-C" && first.startsWith("-")) {
    // Params can be secrets.
    const flags = ["-d", "--deployment"].includes(first) ? words.slice(0, 2) : ["-d", "NAME"];
    qvs.showHelpAfterError(
      `  help: Put the flags after the command: qvs ${named} ${flags.join(" ")}`,
    );
  }
  const command = qvs.commands.find((each) => each.name() === first);
  const excess = words[1] ?? "";
  const meant = findElsewhere(qvs, command, [first, excess]);
  if (meant !== undefined)
    (command ?? qvs).showHelpAfterError(`  help: Did you mean qvs ${meant}?`);
  if (command !== undefined && command.commands.length > 0) rejectUnknown(command, excess, meant);
  const takesNone = command?.registeredArguments.length === 0 && command.commands.length === 0;
  const choosesByFlag = command?.options.some(({ long }) => long === "--deployment");
  if (takesNone && choosesByFlag && excess !== "" && !excess.startsWith("-")) {
    command?.showHelpAfterError(
      `  help: Choose a deployment with a flag: qvs ${first} -d ${excess}`,
    );
  }
  return qvs;
}

/**
 * Prints an error for an unknown word after a command with subcommands. Those with a default
 * subcommand or an own action take no arguments, and would otherwise only report too many.
 */
function rejectUnknown(command: Command, word: string, elsewhere: string | undefined): void {
  const isKnown = command.commands.some((inner) => inner.name() === word);
  if (word === "" || word.startsWith("-") || isKnown || elsewhere !== undefined) return;
  unknownCommand(command, word);
}

/** Ends with the error about an unknown subcommand, and the closest one. */
export function unknownCommand(within: Command, name: string): never {
  const names = within.commands.map((inner) => inner.name());
  const meant = closest(name, names);
  const help = meant === undefined ? "" : `\n  help: Did you mean ${meant}?`;
  return within.error(`error: unknown command '${name}'${help}`);
}

/**
 * Returns the command of this name at another place: `get owners` for `owners`, `releases` for
 * `get releases`.
 */
function findElsewhere(
  qvs: Command,
  command: Command | undefined,
  [first, second]: readonly [string, string],
): string | undefined {
  if (command === undefined) {
    const outer = qvs.commands.find(({ commands }) =>
      commands.some((each) => each.name() === first),
    );
    return outer === undefined ? undefined : `${outer.name()} ${first}`;
  }
  return command.name() === "get" && queries.includes(second) ? second : undefined;
}

/** Queries that are top-level commands. */
const queries: readonly string[] = ["releases", "status", "drift"];
