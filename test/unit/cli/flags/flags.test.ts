import type { Command } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "../../../../src/cli/program/build-program.ts";
import { allCommands } from "../../../../src/cli/program/command-table.ts";
import type { Shell } from "../../../../src/cli/program/shell.ts";

/**
 * Compares the flags of all commands: a flag means the same in each of them and, if possible, in
 * kubectl.
 */
const shell = { argv: [], env: {}, cwd: () => "/" } as unknown as Shell;
const commands = commandsOf(await buildProgram(async () => {}, shell, allCommands));
const flags = commands.flatMap((command) =>
  command.options.map(({ short, long, required, optional }) => {
    const takes = required ? "a value" : optional ? "perhaps a value" : "none";
    return { command: command.name(), short, long: long ?? short ?? "", takes };
  }),
);

function commandsOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

test("a letter means the same flag in every command, and a flag has one letter", () => {
  expect(flags.length).toBeGreaterThan(100);
  const pairs = flags.flatMap(({ short, long }) =>
    short === undefined ? [] : [`${short} ${long}`],
  );
  expect([...new Set(pairs)].toSorted()).toEqual([
    "-A --all-namespaces",
    "-C -C",
    "-V --version",
    "-a --all",
    "-c --config",
    "-d --deployment",
    "-f --filename",
    "-l --selector",
    "-m --module",
    "-n --namespace",
    "-o --output",
    "-p --params",
    "-q --quiet",
    "-y --yes",
  ]);
});

test("a flag with a letter has it in every command", () => {
  const all = [...Map.groupBy(flags, ({ long }) => long)];
  const mixed = all.filter(([, each]) => new Set(each.map(({ short }) => short)).size > 1);
  expect(mixed.map(([long]) => long)).toEqual([]);
});

function describedFlags(command: Command): string {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .map((option) => help.optionDescription(option))
    .join("\n");
}

test("the help of a flag has the default after the choices", () => {
  const help = commands.map(describedFlags).join("\n");
  expect(help).toContain('deploy only this stage (choices: "appSetup", "app", default: both)');
  expect(help).not.toMatch(/\) \(choices/);
});

test("a flag with a value has one in every command", () => {
  const kinds = Map.groupBy(flags, ({ long }) => long);
  const mixed = [...kinds].flatMap(([long, all]) =>
    new Set(all.map(({ takes }) => takes)).size > 1
      ? [`${long}: ${all.map(({ command, takes }) => `${command} ${takes}`).join(", ")}`]
      : [],
  );
  expect(mixed).toEqual([]);
});

test("-A selects all deployments of the cluster, as in kubectl", () => {
  const commands = flags.filter(({ long }) => long === "--all-namespaces");
  expect(commands.map(({ command, short }) => `${command} ${short}`)).toEqual([
    "reconcile -A",
    "drift -A",
    "deployments -A",
    "types -A",
    "instances -A",
  ]);
});

/**
 * `--all` means every deployment of the repository. Commands about releases select by namespace
 * instead.
 */
test("--all selects only deployments of the repository", () => {
  const all = flags.filter(({ long }) => long === "--all");
  expect(all.map(({ command }) => command)).toEqual([
    "compile",
    "deploy",
    "rollback",
    "reconcile",
    "diff",
    "status",
    "drift",
    "changed",
  ]);
});
