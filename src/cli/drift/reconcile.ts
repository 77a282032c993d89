import { type Command, Option } from "commander";
import { reconcile } from "../../commands/reconcile.ts";
import { locateDeployment } from "../../deploying/queries/locate-deployment.ts";
import { parseDuration, parseProtectedKinds } from "../../inputs/parse.ts";
import {
  type DeployRequest,
  defaultLimits,
  defaultRequest,
} from "../../model/deployments/deploy-request.ts";
import { type UserError, userError } from "../../model/problems/errors.ts";
import {
  concurrencyFlag,
  noProgressOption,
  noWaitForLockFlag,
  toSelection,
  waitForLockFlag,
  withClusterOptions,
  withDeploymentOptions,
} from "../flags/options.ts";
import { type Several, splitSelection } from "../flags/several.ts";
import type { RunCommand } from "../program/run-cli.ts";
import { reportCorrection } from "./show-drift.ts";
import { type WatchFlags, withWatchOptions } from "./watch-flags.ts";

export interface ReconcileFlags extends WatchFlags {
  readonly timeout: number;
  readonly noProgressTimeout?: number;
}

export function defineReconcile(command: Command, run: RunCommand): void {
  withWatchOptions(withClusterOptions(withDeploymentOptions(command, "several")))
    .optionsGroup("Safety:")
    .option(
      "--allow-delete <kinds>",
      "protected kinds that can be deleted, comma-separated",
      parseProtectedKinds,
    )
    .addOption(
      new Option("--conflicts <policy>", "policy for fields that other field managers changed")
        .choices(["force", "fail"])
        .default("force", "force"),
    )
    .option(
      "--allow-outside-namespace",
      "restore missing objects that are cluster-scoped or in other namespaces",
    )
    .option(
      "--allow-irreversible",
      "also create an empty PersistentVolumeClaim and run a migration again",
    )
    .option("--override-freeze <name>", "ignore the freeze with this name")
    .optionsGroup("Options:")
    .addOption(
      new Option(
        "--timeout <duration>",
        "time for one object to become ready; with --watch, 2m is the default",
      )
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .addOption(noProgressOption())
    .option(...concurrencyFlag)
    .option(...waitForLockFlag)
    .option(...noWaitForLockFlag)
    .action((given: Several<ReconcileFlags>) => {
      const { flags, several } = splitSelection<ReconcileFlags>(given);
      return run(flags, async (world, shell) => {
        const isUsualTimeout = command.getOptionValueSource("timeout") === "default";
        const request = correctionRequest(flags, isUsualTimeout);
        if (flags.printInstall === true || flags.watch === true) {
          if (several !== undefined) throw onlyOneWatched();
          const { printInstall, runController } = await import("./reconcile-watch.ts");
          return flags.printInstall === true
            ? printInstall(world, shell, flags, isUsualTimeout ? undefined : flags.timeout)
            : runController(world, shell, flags, request);
        }
        if (several !== undefined) {
          const { reconcileSeveral } = await import("../several/drift-several.ts");
          return reconcileSeveral(world, shell, { flags, several, request });
        }
        const selection = toSelection(world, shell, flags);
        const { deployment } = await locateDeployment(world, selection);
        return reportCorrection(await reconcile(world, deployment, request), shell);
      });
    });
}

function onlyOneWatched(): UserError {
  return userError(
    "conflicting-flags",
    "--watch and --print-install accept one name or whole namespaces",
    "Select namespaces with --namespaces or --all-namespaces",
  );
}

/**
 * The default timeout with --watch. A longer one would let a deployment that never becomes ready
 * occupy a worker, and keep its lock from users.
 */
const watchTimeoutMs = 120_000;

function correctionRequest(flags: ReconcileFlags, isUsualTimeout: boolean): DeployRequest {
  const timeoutMs = flags.watch === true && isUsualTimeout ? watchTimeoutMs : flags.timeout;
  const { concurrency, conflicts, waitForLock, overrideFreeze, allowDelete = [] } = flags;
  const { allowOutsideNamespace = false, allowIrreversible = false } = flags;
  return {
    ...defaultRequest,
    ...{ allowOutsideNamespace, allowIrreversible, overrideFreeze, waitForLock },
    limits: { timeoutMs, noProgressMs: flags.noProgressTimeout, concurrency },
    policy: { allowDelete, conflicts: { force: conflicts === "force", takeover: [] } },
  };
}
