import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { describeFailures } from "../apply/failure/describe-failures.ts";
import { defaultLimits } from "../apply/run.ts";
import type { DeployOutcome } from "../commands/carry-out.ts";
import { deploy } from "../commands/deploy.ts";
import { rehearse } from "../commands/rehearse.ts";
import { rollback } from "../commands/rollback.ts";
import type { DeployOptions } from "../commands/under-lock.ts";
import { describeProblem, UserError, userError } from "../errors.ts";
import type { Plan } from "../model/plan.ts";
import { type ExpectedPlan, parseExpectedPlan } from "../report/plan-difference.ts";
import { renderPlanText } from "../report/plan-text.ts";
import { exitCode } from "./failure.ts";
import {
  type CommonOptions,
  deploymentOf,
  parseCount,
  parseDuration,
  withClusterOptions,
  withCommonOptions,
} from "./options.ts";
import { paintFor } from "./paint.ts";
import { type PolicyFlags, policyOf, withPolicyOptions } from "./policy.ts";
import type { RunCommand } from "./run.ts";
import { sayReport } from "./say.ts";
import type { Shell } from "./shell.ts";

interface ApplyFlags extends CommonOptions, PolicyFlags {
  readonly timeout: number;
  readonly concurrency: number;
  readonly waitForLock: boolean;
  readonly expectDigest?: string;
  readonly expectPlan?: string;
  readonly adopt?: boolean;
  readonly keepReleases?: number;
  readonly dryRun?: boolean;
}

export function addDeploy(program: Command, run: RunCommand): void {
  const command = program
    .command("deploy")
    .description("apply appSetup, then app, then delete what is gone");
  withApplyFlags(command).action((flags: ApplyFlags) =>
    run(flags, async (world, shell) => {
      const deployment = await deploymentOf(world, shell, flags);
      const inline = flags.param ?? [];
      const options = await toOptions(flags, shell);
      if (flags.dryRun) return show(await rehearse(world, deployment, { inline }, options), shell);
      return report(await deploy(world, deployment, inline, options), shell);
    }),
  );
}

export function addRollback(program: Command, run: RunCommand): void {
  const command = program.command("rollback").description("apply a recorded release again");
  withApplyFlags(command)
    .requiredOption("--to <revision>", "its number, or previous", parseRevision)
    .action((flags: ApplyFlags & { readonly to: number | "previous" }) =>
      run(flags, async (world, shell) => {
        const deployment = await deploymentOf(world, shell, flags);
        const options = await toOptions(flags, shell);
        const release = flags.to;
        if (flags.dryRun) {
          return show(await rehearse(world, deployment, { release }, options), shell);
        }
        return report(await rollback(world, deployment, release, options), shell);
      }),
    );
}

function withApplyFlags(command: Command): Command {
  return withPolicyOptions(withClusterOptions(withCommonOptions(command)))
    .addOption(
      new Option("--timeout <duration>", "for one object to become ready")
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .option("--concurrency <number>", "requests at once", parseCount, defaultLimits.concurrency)
    .option("--dry-run", "only show what would be done, or why it would be refused; write nothing")
    .option("--expect-digest <digest>", "carry out this plan only; see qvs diff --format json")
    .addOption(
      new Option(
        "--expect-plan <file>",
        "the same with that JSON, to be told what differs",
      ).conflicts("expectDigest"),
    )
    .option(
      "--adopt",
      "take over a deployment that came from another config or repository, or from another namespace",
    )
    .option(
      "--keep-releases <number>",
      "keep so many releases to go back to (default: 10)",
      parseCount,
    )
    .option("--wait-for-lock", "wait while another run is deploying this", true)
    .option("--no-wait-for-lock", "fail when another run is deploying this");
}

async function toOptions(flags: ApplyFlags, shell: Shell): Promise<DeployOptions> {
  const { timeout, concurrency, waitForLock, onlyStage, adopt = false, keepReleases } = flags;
  const limits = { timeoutMs: timeout, concurrency };
  const expected = await expectedPlan(flags, shell);
  return { limits, policy: policyOf(flags), waitForLock, expected, onlyStage, adopt, keepReleases };
}

async function expectedPlan(
  { expectDigest: digest, expectPlan: file }: ApplyFlags,
  shell: Shell,
): Promise<ExpectedPlan | undefined> {
  if (digest !== undefined) return { digest, operations: undefined };
  if (file === undefined) return undefined;
  const text = await readFile(resolve(shell.cwd(), file), "utf8").catch((error: Error) => {
    throw userError(`${file} can't be read: ${error.message}`, "Give the file of an approved plan");
  });
  const plan = parseExpectedPlan(text, file);
  if (!plan.ok) throw new UserError(plan.problems);
  return plan.value;
}

/** The plan on stdout, as a preview shows it, and below it how to have exactly this one carried out. */
function show(plan: Plan, { stdout, stderr }: Shell): number {
  stdout.write(renderPlanText(plan, paintFor(stdout)));
  stderr.write(
    `Nothing was changed. --expect-digest ${plan.digest.slice(0, 12)} carries out this plan only.\n`,
  );
  return exitCode.done;
}

/** Progress has shown what happened; here is what a reader needs after a failure. */
function report({ plan, release, result }: DeployOutcome, { stdout, stderr }: Shell): number {
  for (const notice of plan.notices) sayReport(stderr, `Notice: ${describeProblem(notice)}`);
  if (!result.succeeded) sayReport(stderr, `\n${describeFailures(result)}`);
  stdout.write(`${release.deployment} release ${release.revision} ${release.status}\n`);
  if (result.succeeded) return exitCode.done;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}

function parseRevision(text: string): number | "previous" {
  if (text === "previous") return text;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write the number of a release, or previous.");
}
