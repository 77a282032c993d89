import { type Command, Option } from "commander";
import { deleteDeployment } from "../commands/delete-deployment.ts";
import { dryRunDeployment } from "../commands/dry-run.ts";
import { parseDuration, parseProtectedKinds } from "../inputs/parse.ts";
import {
  type DeployRequest,
  defaultLimits,
  defaultRequest,
} from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { World } from "../ports/world.ts";
import { terminal } from "../redaction/terminal.ts";
import { expectDigest } from "../report/plans/parse-expected-plan.ts";
import { chooseRecorded } from "../sources/list-deployments.ts";
import {
  type ConfirmationFlags,
  canAsk,
  confirmByName,
  isConfirmed,
  readExpectedPlan,
  withExpectOptions,
  yesOption,
} from "./flags/confirmation.ts";
import {
  concurrencyFlag,
  type DeploymentOptions,
  noProgressOption,
  noWaitForLockFlag,
  toSelection,
  waitForLockFlag,
  withClusterOptions,
  withDeploymentOptions,
} from "./flags/options.ts";
import { print } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import { currentTime, reportOutcome, showDryRun, showPlan } from "./output/show-outcome.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

interface DeleteFlags extends DeploymentOptions, ConfirmationFlags {
  readonly allowDelete?: readonly string[];
  readonly deleteKept?: boolean;
  readonly dryRun?: boolean;
  readonly adopt?: boolean;
  readonly hooks: boolean;
  readonly allowOutsideNamespace?: boolean;
  readonly timeout: number;
  readonly noProgressTimeout?: number;
  readonly concurrency: number;
  readonly overrideFreeze?: string;
  readonly waitForLock: boolean;
}

export function defineDelete(command: Command, run: RunCommand): void {
  withDeleteFlags(withClusterOptions(withDeploymentOptions(command))).action((flags: DeleteFlags) =>
    run(flags, async (world, shell) => {
      const selection = toSelection(world, shell, flags);
      const deployment = await chooseRecorded(world.source.tree, world.repositoryName, selection);
      return remove(world, deployment, flags, shell);
    }),
  );
}

function withDeleteFlags(command: Command): Command {
  const deleting = command
    .optionsGroup("Safety:")
    .option(
      "--allow-delete <kinds>",
      "protected kinds that can be deleted, comma-separated",
      parseProtectedKinds,
    )
    .option("--delete-kept", "also delete objects that its manifests keep by keepOnDelete")
    .option("--no-hooks", "run no hooks of charts")
    .option(
      "--allow-outside-namespace",
      "run hooks that write cluster-scoped objects and other namespaces",
    )
    .optionsGroup("Options:")
    .option("--dry-run", "show the plan or the errors; write nothing");
  return withExpectOptions(deleting.addOption(yesOption()))
    .addOption(
      new Option("--timeout <duration>", "time for the deletion of one object")
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .addOption(noProgressOption())
    .option(...concurrencyFlag)
    .option("--adopt", "also delete a deployment from another config or repository")
    .option("--override-freeze <name>", "ignore the freeze with this name")
    .option(...waitForLockFlag)
    .option(...noWaitForLockFlag);
}

/**
 * Deletes a deployment. On a terminal it shows the plan, asks for the deployment's name, and
 * carries out exactly that plan.
 */
async function remove(
  world: World,
  deployment: Deployment,
  flags: DeleteFlags,
  shell: Shell,
): Promise<number> {
  const request = await deleteRequest(flags, shell);
  if (flags.dryRun || !isConfirmed(flags)) {
    const preview = await dryRunDeployment(world, deployment, "deletion", request);
    const { planned } = preview;
    if (flags.dryRun === true || !planned.executable) {
      return showDryRun(preview, currentTime(world), shell);
    }
    if (planned.recorded.secrets.length > 0) {
      showPlan(preview, currentTime(world), shell.stderr);
      if (!(await confirmDeletion(world, deployment, shell))) {
        print(shell.stderr, "Canceled. Nothing was changed.");
        return exitCode.interrupted;
      }
      const expected = expectDigest(planned.plan.digest);
      return executeDeletion(world, deployment, { ...request, expected }, shell);
    }
  }
  return executeDeletion(world, deployment, request, shell);
}

/**
 * Asks for the name of the deployment. Returns false if the user interrupts the question, and
 * throws a UserError without a terminal.
 */
async function confirmDeletion(
  world: World,
  deployment: Deployment,
  shell: Shell,
): Promise<boolean> {
  if (canAsk(shell))
    return confirmByName(world, deployment, shell, terminal`To delete everything above`);
  throw new UserError([
    {
      code: "confirmation-missing",
      where: [],
      what: `Deleting "${deployment.name}" needs a confirmation`,
      why: "qvs can't ask, because this isn't a terminal",
      fix: "Add --expect-digest with the digest of the reviewed plan",
      otherwise: ["add --yes"],
    },
  ]);
}

async function executeDeletion(
  world: World,
  deployment: Deployment,
  request: DeployRequest,
  shell: Shell,
): Promise<number> {
  const outcome = await deleteDeployment(world, deployment, request);
  if (outcome.type !== "nothing left") return reportOutcome(outcome, deployment, shell);
  const { name, namespace } = deployment;
  print(shell.stdout, `${name}: nothing is recorded in namespace ${namespace}`);
  return exitCode.done;
}

async function deleteRequest(flags: DeleteFlags, shell: Shell): Promise<DeployRequest> {
  const { timeout, concurrency, waitForLock, allowDelete = [], overrideFreeze } = flags;
  const conflicts = { force: false, takeover: [] };
  const keepRevisions = flags.deleteKept === true ? 0 : undefined;
  return {
    ...defaultRequest,
    limits: { timeoutMs: timeout, noProgressMs: flags.noProgressTimeout, concurrency },
    policy: { allowDelete, conflicts, keepRevisions },
    adopt: flags.adopt ?? false,
    runsHooks: flags.hooks,
    allowOutsideNamespace: flags.allowOutsideNamespace ?? false,
    waitForLock,
    expected: await readExpectedPlan(flags, shell),
    overrideFreeze,
  };
}
