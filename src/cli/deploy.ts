import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { describeFailures } from "../apply/failure/describe-failures.ts";
import { defaultLimits } from "../apply/run.ts";
import { deploy } from "../commands/deploy.ts";
import { dryRunDeployment } from "../commands/dry-run.ts";
import { rollback } from "../commands/rollback.ts";
import { parseCount, parseDuration, parseRevision } from "../inputs/parse.ts";
import type { ApprovedPlans } from "../model/approval.ts";
import type { Deployment } from "../model/deployment.ts";
import { describeProblem, UserError, userError } from "../model/errors.ts";
import type { World } from "../ports/world.ts";
import type { ReleaseChoice } from "../releases/select.ts";
import { expectDigest, parseExpectedPlan } from "../report/expected-plan.ts";
import { renderPlanText } from "../report/plan-text.ts";
import { describeRelease, noticesOf, waysBack } from "../runs/describe-outcome.ts";
import type { DeployOutcome } from "../runs/execute-plan.ts";
import type { DryRunPlan } from "../runs/plan-without-lock.ts";
import type { DeployOptions } from "../runs/with-lock.ts";
import { chooseRecorded } from "../sources/list-deployments.ts";
import { excerptsAround } from "./excerpt.ts";
import { exitCode, reportProblems } from "./failure.ts";
import {
  type CommonOptions,
  type DeploymentOptions,
  deploymentOf,
  selectionOf,
  withClusterOptions,
  withCommonOptions,
  withDeploymentOptions,
} from "./options.ts";
import { looksFor } from "./paint.ts";
import { type PolicyFlags, policyOf, withPolicyOptions } from "./policy.ts";
import { print, printReport } from "./print.ts";
import { showWaysBack } from "./queries/ways-back.ts";
import type { RunCommand } from "./run.ts";
import type { Shell } from "./shell.ts";

interface ApplyFlags extends DeploymentOptions, PolicyFlags {
  readonly timeout: number;
  readonly concurrency: number;
  readonly waitForLock: boolean;
  readonly expectDigest?: string;
  readonly expectPlan?: string;
  readonly adopt?: boolean;
  readonly allowOlder?: boolean;
  readonly allowFailed?: boolean;
  readonly allowOutsideNamespace?: boolean;
  readonly keepReleases?: number;
  readonly overrideFreeze?: string;
  readonly dryRun?: boolean;
}

export function addDeploy(program: Command, run: RunCommand): void {
  const command = program
    .command("deploy")
    .description("apply appSetup, then app, then delete what is no longer declared");
  withApplyFlags(withCommonOptions(command))
    .option("--allow-older", "deploy a commit that is older than the one that runs")
    .action((flags: ApplyFlags & CommonOptions) =>
      run(flags, async (world, shell) => {
        const deployment = await deploymentOf(world, shell, flags);
        const inline = flags.param ?? [];
        const options = await toOptions(flags, shell);
        if (flags.dryRun)
          return show(
            await dryRunDeployment(world, deployment, { inline }, options),
            timeIn(world),
            shell,
          );
        return report(await deploy(world, deployment, inline, options), deployment, shell);
      }),
    );
}

export function addRollback(program: Command, run: RunCommand): void {
  const command = program.command("rollback").description("apply a recorded release again");
  withApplyFlags(withDeploymentOptions(command))
    .option(
      "--to <revision>",
      "its number, or previous; without it the releases to choose from are shown",
      parseRevision,
    )
    .option("--allow-failed", "take also a release that failed, by its number")
    .option(
      "--allow-outside-namespace",
      "let the record bring what is cluster-wide or in another namespace and is not there as a part of this deployment",
    )
    .action((flags: ApplyFlags & { readonly to?: ReleaseChoice["to"] }) =>
      run(flags, async (world, shell) => {
        const selection = selectionOf(world, shell, flags);
        const { tree } = world.source;
        const deployment = await chooseRecorded(tree, world.repositoryName, selection);
        const { to } = flags;
        if (to === undefined) throw await showWaysBack(world, deployment, shell);
        const options = await toOptions(flags, shell);
        const release = { to, allowFailed: options.allowFailed ?? false };
        if (flags.dryRun) {
          return show(
            await dryRunDeployment(world, deployment, { release }, options),
            timeIn(world),
            shell,
          );
        }
        return report(await rollback(world, deployment, to, options), deployment, shell);
      }),
    );
}

function withApplyFlags(command: Command): Command {
  return withPolicyOptions(withClusterOptions(command))
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
        "carry out what the plan in that JSON does, or a part of it; show what differs",
      ).conflicts("expectDigest"),
    )
    .option(
      "--adopt",
      "take over a deployment that came from another config or repository, or from another namespace",
    )
    .option(
      "--keep-releases <number>",
      "number of releases to keep for rollbacks (default: 10)",
      parseCount,
    )
    .option("--override-freeze <name>", "deploy although this freeze holds")
    .option("--wait-for-lock", "wait while another run is deploying this", true)
    .option("--no-wait-for-lock", "fail when another run is deploying this");
}

async function toOptions(flags: ApplyFlags, shell: Shell): Promise<DeployOptions> {
  const { timeout, concurrency, waitForLock, onlyStage, keepReleases, overrideFreeze } = flags;
  const { adopt = false, allowOutsideNamespace = false, allowFailed = false } = flags;
  const whenOlder = flags.allowOlder === true ? "allow" : "refuse";
  const limits = { timeoutMs: timeout, concurrency };
  const expected = await expectedPlan(flags, shell);
  const policy = policyOf(flags);
  const allowed = { policy, adopt, allowOutsideNamespace, allowFailed, whenOlder } as const;
  return { limits, ...allowed, waitForLock, expected, onlyStage, keepReleases, overrideFreeze };
}

async function expectedPlan(
  { expectDigest: digest, expectPlan: file }: ApplyFlags,
  shell: Shell,
): Promise<ApprovedPlans | undefined> {
  if (digest !== undefined) return expectDigest(digest);
  if (file === undefined) return undefined;
  const text = await readFile(resolve(shell.cwd(), file), "utf8").catch((error: Error) => {
    throw userError(
      "invalid-approved-plan",
      `${file} can't be read: ${error.message}`,
      "Give the file of an approved plan",
    );
  });
  const plan = parseExpectedPlan(text, file);
  if (!plan.ok) throw new UserError(plan.problems);
  return plan.value;
}

function timeIn({ clock }: World): string {
  return clock.now().toISOString();
}

/** The plan on stdout, as a preview shows it, and below it what blocks it, or how to execute exactly this one. */
function show({ planned, attributions }: DryRunPlan, now: string, shell: Shell): number {
  const { stdout, stderr, cwd } = shell;
  const { plan, findings } = planned;
  if (plan !== undefined)
    stdout.write(renderPlanText(plan, looksFor(stdout), findings, { attributions, now }));
  if (!planned.executable) {
    reportProblems(planned.blockers, stderr, excerptsAround(cwd()));
    return exitCode.user;
  }
  const digest = planned.plan.digest.slice(0, 12);
  print(stderr, `Nothing was changed. --expect-digest ${digest} carries out this plan only.`);
  return exitCode.done;
}

/** Progress has shown what happened; this is what a reader needs after a failure. */
function report(outcome: DeployOutcome, deployment: Deployment, { stdout, stderr }: Shell): number {
  if (outcome.type === "superseded") {
    printReport(stderr, `Notice: ${describeProblem(outcome.why)}`);
    print(stdout, `${deployment.name} superseded`);
    return outcome.why.code === "gave-way" ? exitCode.superseded : exitCode.done;
  }
  const { plan, result } = outcome;
  for (const notice of noticesOf(outcome, deployment)) {
    printReport(stderr, `Notice: ${describeProblem(notice)}`);
  }
  const goBack = waysBack(outcome, deployment);
  const isSuperseded = outcome.superseded !== undefined;
  if (!isSuperseded && !result.succeeded)
    printReport(stderr, `\n${describeFailures(result, goBack)}`);
  print(stdout, `${plan.deployment} ${describeRelease(outcome)}`);
  if (result.succeeded) return exitCode.done;
  if (isSuperseded) return exitCode.superseded;
  return result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
}
