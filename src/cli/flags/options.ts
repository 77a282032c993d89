import { relative, resolve, sep } from "node:path";
import { type Command, Option } from "commander";
import { parseCount, parseDuration, parseNamespace } from "../../inputs/parse.ts";
import { defaultLimits } from "../../model/deployments/deploy-request.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import { chooseDeployment, type DeploymentSelection } from "../../sources/list-deployments.ts";
import type { Shell } from "../program/shell.ts";
import { withSeveralOptions } from "./several.ts";

/** The flags of commands that compile nothing. */
export interface DeploymentOptions {
  readonly deployment?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly quiet?: boolean;
  /** False with --no-cache, in the commands that have it. */
  readonly cache?: boolean;
}

/** The flags of commands that compile (docs/reference/cli.md#common-behavior). */
export interface CommonOptions extends DeploymentOptions {
  readonly config?: string;
  readonly params?: readonly string[];
  readonly param?: readonly string[];
}

/** Adds the options of a command for one deployment, or for one or several. */
export function withDeploymentOptions(
  command: Command,
  number: "one" | "several" = "one",
): Command {
  return withDeploymentFlags(command.optionsGroup("Target:"), number)
    .optionsGroup("Options:")
    .option(...quietFlag);
}

function withDeploymentFlags(command: Command, number: "one" | "several"): Command {
  return number === "one" ? command.option(...deploymentFlag) : withSeveralOptions(command);
}

export const deploymentFlag = [
  "-d, --deployment <name>",
  "name of the deployment (default: the only one)",
] as const;
export const quietFlag = ["-q, --quiet", "print no progress and no warnings"] as const;

export function withCommonOptions(command: Command, number: "one" | "several" = "one"): Command {
  const target = command
    .optionsGroup("Target:")
    .option("-c, --config <file>", "config to use (default: that of the deployment)");
  return withDeploymentFlags(target, number)
    .option(
      "-p, --params <file>",
      "parameter file; repeatable, later files replace values",
      collect,
    )
    .option("--param <name=value>", "parameter; repeatable, replaces values from files", collect)
    .optionsGroup("Options:")
    .option(...quietFlag);
}

/** Adds --no-cache, for commands that only show something (see Compiler.compileCached). */
export function withCacheOption(command: Command): Command {
  return command.option("--no-cache", "ignore the cache of compilations");
}

/** Adds the options that select a cluster, without a namespace. */
export function withContextOptions(command: Command): Command {
  return command
    .optionsGroup("Cluster:")
    .option("--kubeconfig <file>", "kubeconfig (default: KUBECONFIG, then ~/.kube/config)")
    .option(
      "--context <name>",
      "context of the kubeconfig (default: that of the deployment, then the current one)",
    );
}

export function withClusterOptions(command: Command): Command {
  return withContextOptions(command)
    .option(
      "-n, --namespace <name>",
      "namespace for objects without one, and for releases (default: that of the deployment, then default)",
      parseNamespace,
    )
    .optionsGroup("Options:");
}

/** The flags of runs that write, which take the same limits. */
export const concurrencyFlag = [
  "--concurrency <number>",
  "number of simultaneous requests to the cluster",
  parseCount,
  defaultLimits.concurrency,
] as const;
export const waitForLockFlag = [
  "--wait-for-lock",
  "wait while another run holds the deployment lock",
  true,
] as const;
export const noWaitForLockFlag = [
  "--no-wait-for-lock",
  "fail if another run holds the deployment lock",
] as const;

/** Creates --no-progress-timeout, for commands that wait for objects. */
export function noProgressOption(): Option {
  const option = new Option(
    "--no-progress-timeout <duration>",
    "time without progress of any awaited object (default: no limit)",
  );
  // The name isn't the negation of a flag --progress-timeout.
  option.negate = false;
  return option.argParser(parseDuration);
}

/** Returns the deployment that the flags select. */
export async function selectDeployment(
  world: World,
  shell: Shell,
  options: CommonOptions,
): Promise<Deployment> {
  const selection = toSelection(world, shell, options);
  return chooseDeployment(world.source.tree, world.repositoryName, selection);
}

/** Returns the selection that the flags make. */
export function toSelection(
  world: World,
  shell: Shell,
  options: CommonOptions,
): DeploymentSelection {
  const inRoot = (path: string) => pathInRepository(world, shell, path);
  return {
    config: options.config === undefined ? undefined : inRoot(options.config),
    deployment: options.deployment,
    params: (options.params ?? []).map(inRoot),
    context: options.context,
    namespace: options.namespace,
  };
}

/**
 * Converts a path relative to the current directory to one relative to the repository's root.
 * Returns "" for the root itself.
 */
export function pathInRepository(world: World, shell: Shell, path: string): string {
  return pathFromRoot(world.repository?.root ?? shell.cwd(), shell.cwd(), path);
}

/**
 * Converts a path relative to the directory to one relative to the root. Throws a UserError if it
 * is outside.
 */
export function pathFromRoot(root: string, directory: string, path: string): string {
  const found = relative(root, resolve(directory, path)).split(sep).join("/");
  if (found !== ".." && !found.startsWith("../")) return found;
  throw new UserError([
    {
      code: "path-outside-repository",
      where: [],
      what: `"${path}" is outside the repository`,
      facts: [{ label: "repository", value: root }],
      fix: "Choose a path inside the repository",
    },
  ]);
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/**
 * Rejects flags that have no effect without one of some other flags
 * (docs/reference/cli.md#common-behavior).
 * Without an error, a user would believe that they have an effect. The names are written as on the
 * command line, such as `--resync`.
 */
export function requireAnyFlag(
  command: Command,
  flags: readonly string[],
  others: readonly string[],
): void {
  const isGiven = (flag: string) => {
    const option = command.options.find(({ long }) => long === flag);
    if (option === undefined) throw new Error(`${command.name()} has no ${flag}`);
    return command.getOptionValueSource(option.attributeName()) === "cli";
  };
  command.hook("preAction", () => {
    const alone = others.some(isGiven) ? [] : flags.filter(isGiven);
    if (alone.length > 0) throw new UserError(alone.map((flag) => noEffectProblem(flag, others)));
  });
}

function noEffectProblem(flag: string, others: readonly string[]): Problem {
  const needed = others.join(" or ");
  return {
    code: "conflicting-flags",
    what: `${flag} has no effect without ${needed}`,
    fix: `Add ${needed}`,
    otherwise: [`remove ${flag}`],
    where: [],
  };
}
