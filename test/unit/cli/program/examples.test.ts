import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "../../../../src/cli/program/build-program.ts";
import { allCommands } from "../../../../src/cli/program/command-table.ts";
import { examples } from "../../../../src/cli/program/examples.ts";

const silent = new PassThrough();
const shell = { argv: [], env: {}, cwd: () => "/", chdir() {}, stdout: silent, stderr: silent };
const commands = named(
  (await buildProgram(() => Promise.resolve(), shell, allCommands)).commands,
  "",
);

function named(all: readonly Command[], before: string): readonly [string, Command][] {
  return all
    .filter((command) => !["help", "__complete"].includes(command.name()))
    .flatMap((command) => {
      const name = `${before}${command.name()}`;
      return [[name, command] as [string, Command], ...named(command.commands, `${name} `)];
    });
}

test("every command has examples, and nothing else has", () => {
  expect(Object.keys(examples).toSorted()).toEqual(commands.map(([name]) => name).toSorted());
});

test.each(commands)("the examples of qvs %s have flags that exist", (name, command) => {
  for (const { line } of examples[name] ?? []) {
    const words = (/qvs ([^)>|"]*)/.exec(line)?.[1] ?? "").trim().split(" ");
    const [used] = commands
      .filter(([each]) => words.join(" ").startsWith(each))
      .toSorted(([a], [b]) => b.length - a.length);
    const flags = words.filter((word) => word.startsWith("-"));
    const known = (used?.[1] ?? command).options.flatMap(({ short, long }) => [short, long]);
    expect([line, flags.filter((flag) => !known.includes(flag))]).toEqual([line, []]);
  }
});

test("the help of a command shows its examples", () => {
  const [, deploy] = commands.find(([name]) => name === "deploy") ?? [];
  let help = "";
  deploy?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help).toContain("Examples:\n  qvs deploy -d shop-staging\n");
});
