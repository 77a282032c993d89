import { type Command, InvalidArgumentError, Option } from "commander";
import { describeFailures } from "../apply/describe-failures.ts";
import { defaultLimits } from "../apply/run.ts";
import type { DeployOutcome } from "../commands/carry-out.ts";
import { deploy } from "../commands/deploy.ts";
import { rollback } from "../commands/rollback.ts";
import type { DeployOptions } from "../commands/under-lock.ts";
import { describeProblem } from "../errors.ts";
import { exitCode } from "./failure.ts";
import {
  type CommonOptions,
  deploymentOf,
  parseCount,
  parseDuration,
  withClusterOptions,
  withCommonOptions,
} from "./options.ts";
import { type PolicyFlags, policyOf, withPolicyOptions } from "./policy.ts";
import type { RunCommand } from "./run.ts";
import { say } from "./say.ts";
import type { Shell } from "./shell.ts";

interface ApplyFlags extends CommonOptions, PolicyFlags {
  readonly timeout: number;
  readonly concurrency: number;
  readonly waitForLock: boolean;
  readonly expectDigest?: string;
  readonly adopt?: boolean;
}

export function addDeploy(program: Command, run: RunCommand): void {
  const command = program
    .command("deploy")
    .description("apply appSetup, then app, then delete what is gone");
  withApplyFlags(command).action((flags: ApplyFlags) =>
    run(flags, async (world, shell) => {
      const deployment = await deploymentOf(world, shell, flags);
      return report(await deploy(world, deployment, flags.param ?? [], toOptions(flags)), shell);
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
        return report(await rollback(world, deployment, flags.to, toOptions(flags)), shell);
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
    .option("--expect-digest <digest>", "carry out this plan only; see qvs diff --format json")
    .option("--adopt", "take over a deployment that came from another config or repository")
    .option("--no-wait-for-lock", "fail when another run is deploying this");
}

function toOptions(flags: ApplyFlags): DeployOptions {
  const { timeout, concurrency, waitForLock, expectDigest, adopt = false } = flags;
  const limits = { timeoutMs: timeout, concurrency };
  return { limits, policy: policyOf(flags), waitForLock, expectDigest, adopt };
}

/** Progress has shown what happened; here is what a reader needs after a failure. */
function report({ plan, release, result }: DeployOutcome, { stdout, stderr }: Shell): number {
  for (const notice of plan.notices) say(stderr, `Notice: ${describeProblem(notice)}`);
  if (!result.succeeded) say(stderr, `\n${describeFailures(result)}`);
  stdout.write(`${release.deployment} release ${release.revision} ${release.status}\n`);
  if (result.succeeded) return exitCode.done;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}

function parseRevision(text: string): number | "previous" {
  if (text === "previous") return text;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write the number of a release, or previous.");
}
