import type { Command } from "commander";
import { plainLines } from "../../redaction/terminal.ts";
import type { Shell } from "../shell.ts";

/** Commander begins its messages with a lower-case "error:"; ours are sentences. */
export function outputTo({ stdout, stderr }: Shell) {
  return {
    writeOut: (text: string) => void stdout.write(plainLines(text)),
    // Commander repeats what it did not understand, and an argument may be untrusted, too.
    writeErr: (text: string) => void stderr.write(plainLines(text)),
    outputError: (text: string, write: (text: string) => void) =>
      write(text.replace(/^error: (\w)/, (_, first: string) => first.toUpperCase())),
  };
}

/** What commands of others allow and this one does not: a deployment as an argument, and flags in front of the command. */
export function explainMisuse(qvs: Command, shell: Shell): Command {
  const [, , ...words] = shell.argv;
  const named = words.find((word) => qvs.commands.some((command) => command.name() === word));
  const [first = ""] = words;
  if (named !== undefined && first !== "-C" && first.startsWith("-")) {
    // Params may be secrets.
    const flags = ["-d", "--deployment"].includes(first) ? words.slice(0, 2) : ["-d", "NAME"];
    qvs.showHelpAfterError(
      `  → Flags of a command stand behind it, as in: qvs ${named} ${flags.join(" ")}`,
    );
  }
  const command = qvs.commands.find((each) => each.name() === first);
  const excess = words[1] ?? "";
  const meant = elsewhere(qvs, command, [first, excess]);
  if (meant !== undefined) (command ?? qvs).showHelpAfterError(`  → That is qvs ${meant}`);
  const takesNone = command?.registeredArguments.length === 0 && command.commands.length === 0;
  const choosesByFlag = command?.options.some(({ long }) => long === "--deployment");
  if (takesNone && choosesByFlag && words.length === 2 && !excess.startsWith("-")) {
    command?.showHelpAfterError(`  → A deployment is chosen by a flag: qvs ${first} -d ${excess}`);
  }
  return qvs;
}

/** `get owners` for `owners`, and `releases` for `get releases`: the command of that name which is at another place. */
function elsewhere(
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

/** Questions that are commands of their own. */
const queries: readonly string[] = ["releases", "status", "drift"];
