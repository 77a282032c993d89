import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { parseDigest } from "../../inputs/parse.ts";
import { ask } from "../../io/terminal/ask.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { ApprovedPlans } from "../../model/plan/approval.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { World } from "../../ports/world.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { plainLines, terminal } from "../../redaction/terminal.ts";
import { expectDigest, parseExpectedPlan } from "../../report/plans/parse-expected-plan.ts";
import type { Shell } from "../program/shell.ts";

/** The flags that confirm a plan in advance. */
export interface ConfirmationFlags extends ExpectFlags {
  readonly yes?: boolean;
}

export function yesOption(description = "don't ask for confirmation"): Option {
  return new Option("-y, --yes", description);
}

/** Reports whether the flags confirm any plan, or one reviewed plan. */
export function isConfirmed({ yes, expectDigest: digest, expectPlan }: ConfirmationFlags): boolean {
  return yes === true || digest !== undefined || expectPlan !== undefined;
}

/** Reports whether qvs can ask a user on a terminal. */
export function canAsk({ stdin, stderr }: Shell): boolean {
  return stdin?.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks for the deployment's name, as a confirmation of a risky plan. Returns false if the user
 * interrupts the question.
 */
export async function confirmByName(
  world: World,
  { name }: Deployment,
  shell: Shell,
  what: TerminalText,
): Promise<boolean> {
  return confirmByText(world, shell, name, terminal`${what}, type the name of the deployment`);
}

/**
 * Asks for a text, as a confirmation of a risky plan. Returns false if the user interrupts the
 * question.
 */
export async function confirmByText(
  world: World,
  shell: Shell,
  expected: string,
  what: TerminalText,
): Promise<boolean> {
  const answer = await askOnTerminal(world, shell, {
    message: terminal`${what}: ${plainLines(expected)}`,
    proposed: "",
    check: (given) =>
      given === expected ? undefined : plainLines(`Type ${expected}, or press Ctrl-C`),
  });
  return answer === expected;
}

/**
 * Asks for yes or no, where Enter means no. Returns undefined if the user interrupts the question.
 */
export async function confirmYes(
  world: World,
  shell: Shell,
  question: TerminalText,
): Promise<boolean | undefined> {
  const answer = await askOnTerminal(world, shell, {
    message: terminal`${question} (y/N)`,
    proposed: "n",
    check: (given) => (/^(y|yes|n|no)$/i.test(given) ? undefined : "Type y or n"),
  });
  return answer === undefined ? undefined : /^y/i.test(answer);
}

function askOnTerminal(
  { signal }: World,
  { stdin, stderr }: Shell,
  question: Parameters<typeof ask>[0],
) {
  if (stdin === undefined) throw new Error("there is no terminal to ask on");
  return ask(question, {
    input: stdin,
    output: stderr as unknown as NodeJS.WriteStream,
    signal,
  });
}

/** The flags that restrict the plan to execute. */
export interface ExpectFlags {
  readonly expectDigest?: string;
  readonly expectPlan?: string;
}

export function withExpectOptions(command: Command): Command {
  return command
    .option(
      "--expect-digest <digest>",
      "execute only the plan with this digest (default: any)",
      parseDigest,
    )
    .addOption(
      new Option(
        "--expect-plan <file>",
        "execute only operations of this plan from qvs diff --format json (default: any)",
      ).conflicts("expectDigest"),
    );
}

export async function readExpectedPlan(
  { expectDigest: digest, expectPlan: file }: ExpectFlags,
  shell: Shell,
): Promise<ApprovedPlans | undefined> {
  if (digest !== undefined) return expectDigest(digest);
  if (file === undefined) return undefined;
  const text = await readFile(resolve(shell.cwd(), file), "utf8").catch((error: Error) => {
    throw new UserError([
      {
        code: "invalid-approved-plan",
        where: [],
        what: `"${file}" can't be read`,
        facts: [{ label: "error", value: error.message }],
        fix: "Pass the file of an approved plan",
      },
    ]);
  });
  const plan = parseExpectedPlan(text, file);
  if (!plan.ok) throw new UserError(plan.problems);
  return plan.value;
}
