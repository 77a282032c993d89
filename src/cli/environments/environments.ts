import { type Command, Option } from "commander";
import {
  createEnvironment,
  type EnvironmentRun,
  environmentRequest,
} from "../../commands/environments/create-environment.ts";
import { deleteEnvironment } from "../../commands/environments/delete-environment.ts";
import { sweepEnvironments } from "../../commands/environments/sweep-environments.ts";
import { environmentDeployment } from "../../config/preview/environment-deployment.ts";
import { readEnvironments } from "../../deploying/queries/read-environments.ts";
import {
  parseDuration,
  parsePullRequest,
  parsePullRequests,
  parseRepository,
} from "../../inputs/parse.ts";
import { defaultLimits } from "../../model/deployments/deploy-request.ts";
import type { World } from "../../ports/world.ts";
import { environmentJson, renderEnvironments } from "../../report/queries/environments.ts";
import {
  collect,
  type DeploymentOptions,
  deploymentFlag,
  noWaitForLockFlag,
  quietFlag,
  waitForLockFlag,
  withContextOptions,
} from "../flags/options.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import {
  type AnswerFlags,
  allFlags,
  printAnswer,
  printNotices,
  withAnswerOptions,
} from "../queries/answer.ts";
import { type ListedEntries, readEntries, requirePreviewing } from "./entries.ts";
import { reportRun, reportSweep } from "./report.ts";

interface EnvironmentFlags extends DeploymentOptions, AnswerFlags {
  readonly repository?: string;
  readonly timeout: number;
  readonly waitForLock: boolean;
  readonly overrideFreeze?: string;
}

interface NumberFlags extends EnvironmentFlags {
  readonly number: number;
  readonly param?: readonly string[];
}

export function defineEnvironments(environments: Command, run: RunCommand): void {
  environments.enablePositionalOptions();
  addList(environments, run);
  addCreate(environments, run);
  addDelete(environments, run);
  addSweep(environments, run);
}

function addList(environments: Command, run: RunCommand): void {
  const command = environments
    .command("list", { isDefault: true })
    .description("list environments with pull request, age and end");
  const withOptions = command.optionsGroup("Options:").option(...quietFlag);
  withAnswerOptions(withContextOptions(withOptions)).action(() => {
    const flags = allFlags<DeploymentOptions & Parameters<typeof printAnswer>[1]>(command);
    return run(flags, async (world, shell) => {
      const { entries } = await readEntries(world, flags);
      const { environments: found, unreadable } = await readEnvironments(world, entries);
      printNotices(shell, flags, unreadable);
      const now = world.clock.now().toISOString();
      printAnswer(shell, flags, {
        text: (looks) => renderEnvironments(found, now, looks),
        json: () => ({ environments: found.map((each) => environmentJson(each, now)) }),
      });
      return exitCode.done;
    });
  });
}

function addCreate(environments: Command, run: RunCommand): void {
  const command = environments
    .command("create")
    .description("create the environment of a pull request, or deploy it again");
  withNumberOptions(command)
    .option("--param <name=value>", "parameter; repeatable, replaces values from files", collect)
    .action(() => {
      const flags = allFlags<NumberFlags>(command);
      return run(flags, async (world, shell) => {
        const listed = await readEntries(world, flags);
        const entry = requirePreviewing(listed, flags.deployment);
        const { repository, list } = await listed.owner();
        const deployment = environmentDeployment(entry, listed.entries, {
          ...{ repository, list, number: flags.number },
        });
        const request = environmentRequest(runOf(flags));
        const { param: inline = [] } = flags;
        const environment = deployment.environmentOf.recorded;
        const work = () => createEnvironment(world, deployment, inline, request);
        return reportRun({ deployment, environment }, work, flags, shell);
      });
    });
}

function addDelete(environments: Command, run: RunCommand): void {
  const command = environments
    .command("delete")
    .description("delete the environment of a pull request");
  withNumberOptions(command).action(() => {
    const flags = allFlags<NumberFlags>(command);
    return run(flags, async (world, shell) => removeOne(world, shell, flags));
  });
}

async function removeOne(world: World, shell: Shell, flags: NumberFlags): Promise<number> {
  const listed = await readEntries(world, flags);
  const entry = requirePreviewing(listed, flags.deployment);
  const owner = await listed.owner();
  const { environments, unreadable } = await readEnvironments(world, listed.entries);
  printNotices(shell, flags, unreadable);
  const { number } = flags;
  const listedNow = environmentDeployment(entry, listed.entries, { ...owner, number });
  const { name, namespace, environmentOf } = listedNow;
  const found = environments.find(
    ({ deployment }) => deployment.name === name && deployment.namespace === namespace,
  );
  const subject = found ?? { deployment: listedNow, environment: environmentOf.recorded };
  const work = async () =>
    found === undefined
      ? ({ type: "nothing left" } as const)
      : deleteEnvironment(world, found, owner, runOf(flags));
  return reportRun(subject, work, flags, shell);
}

function addSweep(environments: Command, run: RunCommand): void {
  const command = environments
    .command("sweep")
    .description("delete expired environments and those of closed pull requests");
  withRunOptions(withRepositoryOption(command.optionsGroup("Target:")))
    .addOption(
      new Option("--open <numbers>", "open pull requests, comma-separated, or none")
        .argParser(parsePullRequests)
        .makeOptionMandatory(),
    )
    .action(() => {
      const flags = allFlags<EnvironmentFlags & { readonly open: readonly number[] }>(command);
      return run(flags, async (world, shell) => {
        const listed: ListedEntries = await readEntries(world, flags);
        const result = await sweepEnvironments(world, {
          ...{ owner: await listed.owner(), entries: listed.entries, request: runOf(flags) },
          stateOf: async (number) => (flags.open.includes(number) ? "open" : "closed"),
        });
        return reportSweep(result, flags, shell);
      });
    });
}

function withNumberOptions(command: Command): Command {
  const target = command
    .optionsGroup("Target:")
    .option(...deploymentFlag)
    .addOption(
      new Option("--number <number>", "number of the pull request")
        .argParser(parsePullRequest)
        .makeOptionMandatory(),
    );
  return withRunOptions(withRepositoryOption(target));
}

function withRepositoryOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--repository <path>",
      "repository of the pull request (default: that of the remote origin)",
    ).argParser(parseRepository),
  );
}

function withRunOptions(command: Command): Command {
  const options = command.optionsGroup("Options:").option(...quietFlag);
  return withAnswerOptions(withContextOptions(options))
    .optionsGroup("Options:")
    .addOption(
      new Option("--timeout <duration>", "time for one object to become ready or to be deleted")
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .option("--override-freeze <name>", "ignore the freeze with this name")
    .option(...waitForLockFlag)
    .option(...noWaitForLockFlag);
}

function runOf({ timeout, waitForLock, overrideFreeze }: EnvironmentFlags): EnvironmentRun {
  return { limits: { ...defaultLimits, timeoutMs: timeout }, waitForLock, overrideFreeze };
}
