import { type Command, Option } from "commander";
import {
  type LocatedDeployment,
  locateDeployment,
} from "../../deploying/queries/locate-deployment.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import type { Looks } from "../../report/text/text-lines.ts";
import { toUnsortedYaml } from "../../report/text/yaml.ts";
import {
  type DeploymentOptions,
  toSelection,
  withClusterOptions,
  withDeploymentOptions,
} from "../flags/options.ts";
import { outputLooks, printJson, printYaml } from "../output/print.ts";
import { printProblem } from "../output/show-problem.ts";
import type { Shell } from "../program/shell.ts";

const formats = ["text", "json", "yaml"] as const;

export interface AnswerFlags {
  readonly format?: (typeof formats)[number];
}

/** The flags of a query about one deployment. */
export interface QueryFlags extends DeploymentOptions, AnswerFlags {}

export function withAnswerOptions(command: Command): Command {
  return command.addOption(
    new Option("--format <format>", "format of the output (default: text)").choices(formats),
  );
}

export function withQueryOptions(command: Command, number: "one" | "several" = "one"): Command {
  return withAnswerOptions(withClusterOptions(withDeploymentOptions(command, number)));
}

/** The result of a query in each output format. */
export interface QueryAnswer {
  text(looks: Looks): TerminalText;
  json(): JsonObject | readonly Json[];
}

export function printAnswer(shell: Shell, flags: AnswerFlags, answer: QueryAnswer): void {
  const { stdout } = shell;
  if (flags.format === undefined || flags.format === "text")
    stdout.write(answer.text(outputLooks(stdout)));
  else printDocument(shell, flags, answer.json);
}

/** Prints the document of the format json or yaml. For text, it prints nothing. */
export function printDocument(
  { stdout }: Pick<Shell, "stdout">,
  { format }: AnswerFlags,
  json: QueryAnswer["json"],
): void {
  if (format === "json") printJson(stdout, json());
  if (format === "yaml") printYaml(stdout, toUnsortedYaml(json()));
}

export function printNotices(
  { stderr }: Shell,
  { quiet }: Pick<DeploymentOptions, "quiet">,
  notices: readonly Problem[],
): void {
  if (quiet === true) return;
  for (const notice of notices) printProblem(stderr, notice, "note");
}

export function locate(
  world: World,
  shell: Shell,
  flags: DeploymentOptions,
): Promise<LocatedDeployment> {
  return locateDeployment(world, toSelection(world, shell, flags));
}

/**
 * Returns the flags of a command and of its parent. A flag in front of the command's name applies
 * to it too.
 */
export function allFlags<T extends object>(command: Command): T {
  const outer = command.parent?.opts() ?? {};
  return { ...outer, ...command.opts() } as T;
}
