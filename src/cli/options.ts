import { relative, resolve, sep } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { chooseDeployment, type Selection } from "../commands/list-deployments.ts";
import type { World } from "../commands/world.ts";
import { userError } from "../errors.ts";
import { didYouMean } from "../model/closest.ts";
import type { Deployment } from "../model/deployment.ts";
import { everything, protectedKinds } from "../model/protected-kinds.ts";
import type { Shell } from "./shell.ts";

/** Flags that every command has (spec §9). */
export interface CommonOptions {
  readonly config?: string;
  readonly deployment?: string;
  readonly params?: readonly string[];
  readonly param?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly quiet?: boolean;
  /** false with --no-cache, of the commands that have it. */
  readonly cache?: boolean;
}

export function withCommonOptions(command: Command): Command {
  return command
    .optionsGroup("What to compile:")
    .option("-c, --config <file>", "QVS config; not needed when the repository has only one")
    .option("-d, --deployment <name>", "deployment of .valuestream/deployments.yaml")
    .option("-p, --params <file>", "params file; repeatable, later ones win", collect)
    .option("--param <name=value>", "one param; repeatable, wins over every file", collect)
    .optionsGroup("Options:")
    .option("-q, --quiet", "no progress, no warnings");
}

/** For commands that only show something: see Compiler.recall. */
export function withCacheOption(command: Command): Command {
  return command.option("--no-cache", "compile anew, whatever earlier runs have compiled");
}

export function withClusterOptions(command: Command): Command {
  return command
    .optionsGroup("Which cluster:")
    .option("--kubeconfig <file>", "default: KUBECONFIG, then ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig")
    .option("-n, --namespace <name>", "for objects without one, and for release records")
    .optionsGroup("Options:");
}

/** The deployment that the flags mean. */
export async function deploymentOf(
  world: World,
  shell: Shell,
  options: CommonOptions,
): Promise<Deployment> {
  const selection = selectionOf(world, shell, options);
  return chooseDeployment(world.source.tree, world.repositoryName, selection);
}

/** What the flags say about deployments. */
export function selectionOf(world: World, shell: Shell, options: CommonOptions): Selection {
  const inRoot = (path: string) => pathInRepository(world, shell, path);
  return {
    config: options.config === undefined ? undefined : inRoot(options.config),
    deployment: options.deployment,
    params: (options.params ?? []).map(inRoot),
    context: options.context,
    namespace: options.namespace,
  };
}

/** A path as the user gives it, from where the user stands → relative to the root of the repository, "" for itself. */
export function pathInRepository(world: World, shell: Shell, path: string): string {
  return pathFromRoot(world.repository?.root ?? shell.cwd(), shell.cwd(), path);
}

/** A path that was given from where the user stands, as it counts from the repository's root. Throws a UserError outside. */
export function pathFromRoot(root: string, directory: string, path: string): string {
  const found = relative(root, resolve(directory, path)).split(sep).join("/");
  if (found !== ".." && !found.startsWith("../")) return found;
  throw userError(`${path} is outside of the repository ${root}`, "Name a file inside of it");
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `90s`, `10m` or `1h` → milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3600 }[unit ?? ""];
  const milliseconds = Number(amount) * (seconds ?? 0) * 1000;
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError(
    "Write a number above 0 with s, m or h behind it, for example 90s or 10m.",
  );
}

export function parseCount(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a number from 1 to 9999.");
}

/** Kinds for --allow-delete, one a line or separated by commas. A misspelt one would only be noticed by what is refused. */
export function parseProtectedKinds(text: string): readonly string[] {
  const names = splitNames(text);
  const known = [...protectedKinds.keys(), everything];
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length === 0) return names;
  const meant = didYouMean(wrong[0] ?? "", known);
  throw new InvalidArgumentError(
    `There is no protected kind ${wrong.join(", ")}${meant}. Write ${known.slice(0, -1).join(", ")} or ${everything}.`,
  );
}

export function splitNames(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
