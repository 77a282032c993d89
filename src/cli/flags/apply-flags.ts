import { type Command, Option } from "commander";
import { parseCount, parseDuration } from "../../inputs/parse.ts";
import { type DeployRequest, defaultLimits } from "../../model/deployments/deploy-request.ts";
import type { ReleaseChoice } from "../../releases/select.ts";
import type { Shell } from "../program/shell.ts";
import {
  type ConfirmationFlags,
  type ExpectFlags,
  readExpectedPlan,
  withExpectOptions,
} from "./confirmation.ts";
import {
  concurrencyFlag,
  type DeploymentOptions,
  noProgressOption,
  noWaitForLockFlag,
  waitForLockFlag,
  withClusterOptions,
} from "./options.ts";
import { type PolicyFlags, planPolicy, withPolicyOptions } from "./policy.ts";

/** The flags of qvs deploy and qvs rollback. */
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

export interface RollbackFlags extends ApplyFlags, ConfirmationFlags {
  readonly to?: ReleaseChoice["to"];
}

/** Adds the flags of qvs deploy and qvs rollback. */
export function withApplyFlags(command: Command): Command {
  const applying = withPolicyOptions(withClusterOptions(command))
    .addOption(
      new Option("--timeout <duration>", "time for one object to become ready")
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .addOption(noProgressOption())
    .option(...concurrencyFlag)
    .option("--dry-run", "show the plan or the errors; write nothing");
  return withExpectOptions(applying)
    .option("--adopt", "adopt a deployment from another config, repository or namespace")
    .option(
      "--keep-releases <number>",
      "number of releases to keep for rollbacks (default: 10)",
      parseCount,
    )
    .option("--override-freeze <name>", "ignore the freeze with this name")
    .option(...waitForLockFlag)
    .option(...noWaitForLockFlag);
}

/** Converts the flags of qvs deploy and qvs rollback. */
export async function deployRequest(flags: ApplyFlags, shell: Shell): Promise<DeployRequest> {
  const { timeout, concurrency, waitForLock, onlyStage, keepReleases, overrideFreeze } = flags;
  const { adopt = false, allowFailed = false, onFailure = "keep" } = flags;
  const { allowOutsideNamespace = false, allowIrreversible = false } = flags;
  return {
    ...{ adopt, onlyStage, keepReleases, overrideFreeze, waitForLock, onFailure },
    ...{ allowOutsideNamespace, allowIrreversible, allowFailed, runsHooks: true },
    limits: { timeoutMs: timeout, noProgressMs: flags.noProgressTimeout, concurrency },
    policy: planPolicy(flags),
    whenOlder: flags.allowOlder === true ? "allow" : "refuse",
    expected: await readExpectedPlan(flags, shell),
  };
}
