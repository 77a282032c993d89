import { type Command, Option } from "commander";
import { deploy } from "../commands/deploy.ts";
import { dryRunDeployment } from "../commands/dry-run.ts";
import { rollback } from "../commands/rollback.ts";
import type { DryRunPlan } from "../deploying/plan-without-lock.ts";
import { parseCount, parseDuration, parseRevision } from "../inputs/parse.ts";
import { type DeployRequest, defaultLimits } from "../model/deploy-request.ts";
import type { Deployment } from "../model/deployment.ts";
import { isLoss } from "../model/problems/finding-codes.ts";
import type { World } from "../ports/world.ts";
import { exactLine, terminal } from "../redaction/terminal.ts";
import { currentIfUnchanged } from "../releases/current-release.ts";
import type { ReleaseChoice } from "../releases/select.ts";
import { expectDigest } from "../report/plans/parse-expected-plan.ts";
import { chooseRecorded } from "../sources/list-deployments.ts";
import {
  type ConfirmationFlags,
  canAsk,
  confirmByName,
  confirmYes,
  isConfirmed,
  yesOption,
} from "./flags/confirmation.ts";
import { type ExpectFlags, readExpectedPlan, withExpectOptions } from "./flags/expect-flags.ts";
import {
  type CommonOptions,
  type DeploymentOptions,
  noProgressOption,
  selectDeployment,
  toSelection,
  withClusterOptions,
  withCommonOptions,
  withDeploymentOptions,
} from "./flags/options.ts";
import { type PolicyFlags, planPolicy, withPolicyOptions } from "./flags/policy.ts";
import { print } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import { currentTime, reportOutcome, showDryRun, showPlan } from "./output/show-outcome.ts";
import { showRollbackOptions } from "./queries/rollback-options.ts";
import type { RunCommand } from "./run-cli.ts";
import type { Shell } from "./shell.ts";

export interface ApplyFlags extends DeploymentOptions, PolicyFlags, ExpectFlags {
  readonly timeout: number;
  readonly noProgressTimeout?: number;
  readonly concurrency: number;
  readonly waitForLock: boolean;
  readonly adopt?: boolean;
  readonly allowOlder?: boolean;
  readonly allowFailed?: boolean;
  readonly allowOutsideNamespace?: boolean;
  readonly allowIrreversible?: boolean;
  readonly onFailure?: "keep" | "rollback";
  readonly keepReleases?: number;
  readonly overrideFreeze?: string;
  readonly dryRun?: boolean;
}

export function defineDeploy(command: Command, run: RunCommand): void {
  withApplyFlags(withCommonOptions(command))
    .addOption(
      new Option(
        "--on-failure <what>",
        "after a failed rollout, keep changes or restore the last release",
      )
        .choices(["keep", "rollback"])
        .default("keep", "keep"),
    )
    .option("--allow-older", "deploy a commit that is older than the deployed one")
    .action((flags: ApplyFlags & CommonOptions) =>
      run(flags, async (world, shell) => {
        const deployment = await selectDeployment(world, shell, flags);
        const inline = flags.param ?? [];
        const request = await deployRequest(flags, shell);
        if (flags.dryRun)
          return showDryRun(
            await dryRunDeployment(world, deployment, { inline }, request),
            currentTime(world),
            shell,
          );
        return reportOutcome(await deploy(world, deployment, inline, request), deployment, shell);
      }),
    );
}

interface RollbackFlags extends ApplyFlags, ConfirmationFlags {
  readonly to?: ReleaseChoice["to"];
}

export function defineRollback(command: Command, run: RunCommand): void {
  withApplyFlags(withDeploymentOptions(command))
    .option(
      "--to <revision>",
      "number of the release, or previous (default: list the releases)",
      parseRevision,
    )
    .addOption(yesOption("don't ask for confirmation (default: ask on a terminal)"))
    .option("--allow-failed", "also restore a failed release, by its number")
    .option(
      "--allow-outside-namespace",
      "restore missing objects that are cluster-scoped or in other namespaces",
    )
    .option(
      "--allow-irreversible",
      "continue if findings show lost data, such as that of a deleted PersistentVolumeClaim",
    )
    .action((flags: RollbackFlags) =>
      run(flags, async (world, shell) => {
        const selection = toSelection(world, shell, flags);
        const { tree } = world.source;
        const deployment = await chooseRecorded(tree, world.repositoryName, selection);
        const { to } = flags;
        if (to === undefined) throw await showRollbackOptions(world, deployment, shell);
        return rollBack(world, deployment, to, flags, shell);
      }),
    );
}

/**
 * Rolls back. On a terminal it shows the plan, asks for confirmation, and carries out exactly that
 * plan.
 */
async function rollBack(
  world: World,
  deployment: Deployment,
  to: ReleaseChoice["to"],
  flags: RollbackFlags,
  shell: Shell,
): Promise<number> {
  const request = await deployRequest(flags, shell);
  const goBack = async (expected = request.expected) =>
    reportOutcome(
      await rollback(world, deployment, to, { ...request, expected }),
      deployment,
      shell,
    );
  if (flags.dryRun !== true && (isConfirmed(flags) || !canAsk(shell))) return goBack();
  const release = { to, allowFailed: request.allowFailed };
  const preview = await dryRunDeployment(world, deployment, { release }, request);
  const { planned } = preview;
  if (flags.dryRun === true || !planned.executable)
    return showDryRun(preview, currentTime(world), shell);
  // A rollback that changes only kept objects leaves the cluster as it is. It still needs
  // confirmation, because it changes the inventory and with it later deletions.
  const { recorded } = planned;
  if (currentIfUnchanged(planned, recorded, recorded.unreadable) !== undefined) return goBack();
  showPlan(preview, currentTime(world), shell.stderr);
  const agreed = await confirmRollback(world, deployment, preview, shell);
  if (agreed === true) return goBack(expectDigest(planned.plan.digest));
  const why = agreed === undefined ? "Canceled. " : "";
  print(shell.stderr, `${why}Nothing was changed.`);
  return agreed === undefined ? exitCode.interrupted : exitCode.user;
}

/**
 * Asks for confirmation. If data is lost, the user must type the deployment's name, as for a
 * deletion.
 */
async function confirmRollback(
  world: World,
  deployment: Deployment,
  { planned, rollbackOf }: DryRunPlan,
  shell: Shell,
): Promise<boolean | undefined> {
  const release = exactLine(`release ${rollbackOf ?? ""}`);
  if (planned.findings.some(({ code, severity }) => severity === "error" && isLoss(code))) {
    const what = terminal`A rollback can't restore all of ${release}. To roll back anyway`;
    return (await confirmByName(world, deployment, shell, what)) || undefined;
  }
  return confirmYes(world, shell, terminal`Roll back ${exactLine(deployment.name)} to ${release}?`);
}

function withApplyFlags(command: Command): Command {
  const applying = withPolicyOptions(withClusterOptions(command))
    .addOption(
      new Option("--timeout <duration>", "time for one object to become ready")
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .addOption(noProgressOption())
    .option(
      "--concurrency <number>",
      "number of simultaneous requests to the cluster",
      parseCount,
      defaultLimits.concurrency,
    )
    .option("--dry-run", "show the plan or the errors; write nothing");
  return withExpectOptions(applying)
    .option("--adopt", "adopt a deployment from another config, repository or namespace")
    .option(
      "--keep-releases <number>",
      "number of releases to keep for rollbacks (default: 10)",
      parseCount,
    )
    .option("--override-freeze <name>", "ignore the freeze with this name")
    .option("--wait-for-lock", "wait while another run holds the deployment lock", true)
    .option("--no-wait-for-lock", "fail if another run holds the deployment lock");
}

/** Converts the flags of qvs deploy and qvs rollback. */
export async function deployRequest(flags: ApplyFlags, shell: Shell): Promise<DeployRequest> {
  const { timeout, concurrency, waitForLock, onlyStage, keepReleases, overrideFreeze } = flags;
  const { adopt = false, allowFailed = false, onFailure = "keep" } = flags;
  const { allowOutsideNamespace = false, allowIrreversible = false } = flags;
  return {
    ...{ adopt, onlyStage, keepReleases, overrideFreeze, waitForLock, onFailure },
    ...{ allowOutsideNamespace, allowIrreversible, allowFailed },
    limits: { timeoutMs: timeout, noProgressMs: flags.noProgressTimeout, concurrency },
    policy: planPolicy(flags),
    whenOlder: flags.allowOlder === true ? "allow" : "refuse",
    expected: await readExpectedPlan(flags, shell),
  };
}
