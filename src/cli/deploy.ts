import { type Command, Option } from "commander";
import { deploy } from "../commands/deploy.ts";
import { dryRunDeployment } from "../commands/dry-run.ts";
import { listReleases, listRollbackOptions } from "../commands/queries/releases.ts";
import { rollback } from "../commands/rollback.ts";
import type { DryRunPlan } from "../deploying/plan-without-lock.ts";
import { parseRevision } from "../inputs/parse.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import { isLoss } from "../model/problems/finding-codes.ts";
import { rollbackCommand } from "../model/text/qvs-commands.ts";
import type { World } from "../ports/world.ts";
import { exactLine, terminal } from "../redaction/terminal.ts";
import { currentIfUnchanged } from "../releases/current-release.ts";
import type { ReleaseChoice } from "../releases/select.ts";
import { expectDigest } from "../report/plans/parse-expected-plan.ts";
import { renderReleases } from "../report/queries/releases.ts";
import { chooseRecorded } from "../sources/list-deployments.ts";
import {
  type ApplyFlags,
  deployRequest,
  type RollbackFlags,
  withApplyFlags,
} from "./flags/apply-flags.ts";
import { canAsk, confirmByName, confirmYes, isConfirmed, yesOption } from "./flags/confirmation.ts";
import {
  type CommonOptions,
  selectDeployment,
  toSelection,
  withCommonOptions,
  withDeploymentOptions,
} from "./flags/options.ts";
import { type Several, splitSelection } from "./flags/several.ts";
import { outputLooks, print } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import { currentTime, reportOutcome, showDryRun, showPlan } from "./output/show-outcome.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

export function defineDeploy(command: Command, run: RunCommand): void {
  withApplyFlags(withCommonOptions(command, "several"))
    .addOption(
      new Option(
        "--on-failure <what>",
        "after a failed rollout, keep changes or restore the last release",
      )
        .choices(["keep", "rollback"])
        .default("keep", "keep"),
    )
    .option("--allow-older", "deploy a commit that is older than the deployed one")
    .action((given: Several<ApplyFlags & CommonOptions>) => {
      const { flags, several } = splitSelection<ApplyFlags & CommonOptions>(given);
      return run(flags, async (world, shell) => {
        if (several !== undefined) {
          const { deploySeveral } = await import("./several/deploy-several.ts");
          return deploySeveral(world, shell, { flags, several });
        }
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
      });
    });
}

export function defineRollback(command: Command, run: RunCommand): void {
  withApplyFlags(withDeploymentOptions(command, "several"))
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
    .action((given: Several<RollbackFlags>) => {
      const { flags, several } = splitSelection<RollbackFlags>(given);
      return run(flags, async (world, shell) => {
        if (several !== undefined) {
          const { rollBackSeveral } = await import("./several/rollback-several.ts");
          return rollBackSeveral(world, shell, { flags, several });
        }
        const selection = toSelection(world, shell, flags);
        const { tree } = world.source;
        const deployment = await chooseRecorded(tree, world.repositoryName, selection);
        const { to } = flags;
        if (to === undefined) throw await showRollbackOptions(world, deployment, shell);
        return rollBack(world, deployment, to, flags, shell);
      });
    });
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
      await rollback(world, deployment, { to }, { ...request, expected }),
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

/**
 * Shows the releases to choose from, for a rollback without a target. Returns the error to throw.
 */
async function showRollbackOptions(
  world: World,
  deployment: Deployment,
  { stderr }: Shell,
): Promise<UserError> {
  const target = await world.target(deployment);
  const listed = await listReleases(world, { target, deployment });
  const { name, namespace } = deployment;
  const title = "releases to roll back to";
  const of = { deployment: name, namespace, now: world.clock.now().toISOString(), title };
  const shown = listRollbackOptions(listed);
  // The error follows.
  if (shown.length > 0) stderr.write(terminal`${renderReleases(shown, of, outputLooks(stderr))}\n`);
  const { previous } = listed;
  const about =
    previous === undefined
      ? {
          why: "No recorded release that succeeded has other objects",
          fix: "List all releases with qvs releases",
        }
      : {
          fix: "Choose a release with --to",
          otherwise: [`restore the previous release: ${rollbackCommand(deployment, previous)}`],
        };
  const what = "The release to roll back to isn't set";
  return new UserError([{ code: "ambiguous-selection", where: [], what, ...about }]);
}
