import { PassThrough } from "node:stream";
import { type Command, Help } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "../../../../src/cli/program/build-program.ts";
import {
  allCommands,
  commandTable,
  namedCommands,
} from "../../../../src/cli/program/command-table.ts";

const silent = new PassThrough();
const shell = { argv: [], env: {}, cwd: () => "/", chdir() {}, stdout: silent, stderr: silent };

function programWith(loaded: ReadonlySet<string>): Promise<Command> {
  return buildProgram(() => Promise.resolve(), shell, loaded);
}

const complete = await programWith(allCommands);

test.each(commandTable)("the general help lists $name as its definition is", ({ name, usage }) => {
  const command = complete.commands.find((each) => each.name() === name);
  if (command === undefined) throw new Error(`${name} isn't a command`);
  expect(`${name} ${usage}`.trimEnd()).toBe(new Help().subcommandTerm(command));
});

test("the general help is the same with and without the definitions", async () => {
  const listed = await programWith(new Set());
  expect(listed.commands.flatMap((command) => command.options)).toEqual([]);
  expect(listed.helpInformation()).toBe(complete.helpInformation());
});

test.each([
  ["", []],
  ["help", []],
  ["--version", []],
  ["help deploy", ["deploy"]],
  ["-C shop diff --base main", ["diff"]],
  ["__complete -- get own", ["get", "__complete"]],
  ["completion bash", ["completion"]],
  ["constructor", [...allCommands]],
  ["owners deploy/web", [...allCommands]],
])("qvs %s loads only what its words name", (line, expected) => {
  const words = line.split(" ").filter((word) => word !== "");
  expect([...namedCommands(words)]).toEqual(expected);
});
