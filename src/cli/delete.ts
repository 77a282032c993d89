import { type Command, Option } from "commander";
import { defaultLimits } from "../apply/run.ts";
import { deleteDeployment } from "../commands/delete.ts";
import { dryRunDeployment } from "../commands/dry-run.ts";
import { parseCount, parseDuration, parseProtectedKinds } from "../inputs/parse.ts";
import type { Deployment } from "../model/deployment.ts";
import { userError } from "../model/problems/errors.ts";
import type { World } from "../ports/world.ts";
import { terminal } from "../redaction/terminal.ts";
import { expectDigest } from "../report/plans/expected-plan.ts";
import type { DeployOptions } from "../runs/with-lock.ts";
import { chooseRecorded } from "../sources/list-deployments.ts";
import { type AgreementFlags, canAsk, isAgreed, typesName, yesOption } from "./flags/agreement.ts";
import { expectedPlan, withExpectOptions } from "./flags/expected-plan.ts";
import {
  type DeploymentOptions,
  selectionOf,
  withClusterOptions,
  withDeploymentOptions,
} from "./flags/options.ts";
import { exitCode } from "./output/failure.ts";
import { print } from "./output/print.ts";
import { report, show, showPlan, timeIn } from "./output/show-outcome.ts";
import type { RunCommand } from "./run.ts";
import type { Shell } from "./shell.ts";

interface DeleteFlags extends DeploymentOptions, AgreementFlags {
  readonly allowDelete?: readonly string[];
  readonly deleteKept?: boolean;
  readonly dryRun?: boolean;
  readonly adopt?: boolean;
  readonly timeout: number;
  readonly concurrency: number;
  readonly overrideFreeze?: string;
  readonly waitForLock: boolean;
}

export function addDelete(program: Command, run: RunCommand): void {
  const command = program
    .command("delete")
    .description("delete a deployment with its objects and releases");
  withDeleteFlags(withClusterOptions(withDeploymentOptions(command))).action((flags: DeleteFlags) =>
    run(flags, async (world, shell) => {
      const selection = selectionOf(world, shell, flags);
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
    .optionsGroup("Options:")
    .option("--dry-run", "show the plan or the errors; write nothing");
  return withExpectOptions(deleting.addOption(yesOption()))
    .addOption(
      new Option("--timeout <duration>", "time for the deletion of one object")
        .argParser(parseDuration)
        .default(defaultLimits.timeoutMs, "10m"),
    )
    .option(
      "--concurrency <number>",
      "number of simultaneous requests to the cluster",
      parseCount,
      defaultLimits.concurrency,
    )
    .option("--adopt", "also delete a deployment from another config or repository")
    .option("--override-freeze <name>", "ignore the freeze with this name")
    .option("--wait-for-lock", "wait while another run holds the deployment lock", true)
    .option("--no-wait-for-lock", "fail if another run holds the deployment lock");
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
  const options = await toOptions(flags, shell);
  if (flags.dryRun || !isAgreed(flags)) {
    const preview = await dryRunDeployment(world, deployment, "deletion", options);
    const { planned } = preview;
    if (flags.dryRun === true || !planned.executable) {
      return show(preview, timeIn(world), shell);
    }
    if (planned.recorded.secrets.length > 0) {
      showPlan(preview, timeIn(world), shell.stderr);
      if (!(await confirms(world, deployment, shell))) return exitCode.interrupted;
      const expected = expectDigest(planned.plan.digest);
      return carryOut(world, deployment, { ...options, expected }, shell);
    }
  }
  return carryOut(world, deployment, options, shell);
}

/**
 * Asks for the name of the deployment. Returns false if the user interrupts the question, and
 * throws a UserError without a terminal.
 */
async function confirms(world: World, deployment: Deployment, shell: Shell): Promise<boolean> {
  if (canAsk(shell)) return typesName(world, deployment, shell, terminal`To delete all of this`);
  throw userError(
    "confirmation-missing",
    `"${deployment.name}" would be deleted, and nobody can be asked here`,
    "Add --yes, or the --expect-digest of the plan that was looked at",
  );
}

async function carryOut(
  world: World,
  deployment: Deployment,
  options: DeployOptions,
  shell: Shell,
): Promise<number> {
  const outcome = await deleteDeployment(world, deployment, options);
  if (outcome.type !== "nothing left") return report(outcome, deployment, shell);
  const { name, namespace } = deployment;
  print(shell.stdout, `${name}: nothing is recorded in namespace ${namespace}`);
  return exitCode.done;
}

async function toOptions(flags: DeleteFlags, shell: Shell): Promise<DeployOptions> {
  const { timeout, concurrency, waitForLock, allowDelete = [], overrideFreeze } = flags;
  const conflicts = { force: false, takeover: [] };
  const keepRevisions = flags.deleteKept === true ? 0 : undefined;
  return {
    limits: { timeoutMs: timeout, concurrency },
    policy: { allowDelete, conflicts, keepRevisions },
    adopt: flags.adopt ?? false,
    waitForLock,
    expected: await expectedPlan(flags, shell),
    overrideFreeze,
  };
}
