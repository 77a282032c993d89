import { matches } from "./matches.ts";
import type { Command, Page, Part, Setting } from "./read-page.ts";
import type { Outcome, PageShell } from "./shell.ts";

/**
 * Runs the commands of a page. Returns the page with the current output of each command whose shown
 * output doesn't match. A command that fails without output is reported, because a reader would
 * expect success.
 */
export async function runPage(
  page: Page,
  open: (setting: Setting) => Promise<PageShell>,
): Promise<Page> {
  let shell: PageShell | undefined;
  const parts: Part[] = [];
  try {
    for (const part of page.parts) {
      if (part.type === "run") {
        await shell?.close();
        shell = await open(part.setting);
      }
      parts.push(await played(part, shell));
    }
  } finally {
    await shell?.close();
  }
  return { parts };
}

async function played(part: Part, shell: PageShell | undefined): Promise<Part> {
  if (part.type === "file") {
    shell?.write(part.path, `${part.lines.join("\n")}\n`);
    return part;
  }
  if (part.type !== "console") return part;
  if (shell === undefined) throw new Error("A console block needs a line <!-- run: … --> above it");
  const commands: Command[] = [];
  for (const command of part.commands) commands.push(await runCommand(command, shell));
  return { ...part, commands };
}

async function runCommand(command: Command, shell: PageShell): Promise<Command> {
  const text = command.lines.join("\n").slice("$ ".length);
  const outcome = await shell.run(text);
  return isShown(command.output, outcome) ? command : { ...command, output: outputLines(outcome) };
}

/** Returns true if the shown output matches. An empty line at its end only separates commands. */
function isShown(output: readonly string[], { code, lines }: Outcome): boolean {
  const shown = output.at(-1) === "" ? output.slice(0, -1) : output;
  return matches(shown, lines) && (code === 0 || lines.length > 0);
}

function outputLines({ code, lines }: Outcome): readonly string[] {
  return code === 0 || lines.length > 0 ? lines : [`(ended with ${code})`];
}
