import { dryRunDeployment } from "../../commands/dry-run.ts";
import { rollback } from "../../commands/rollback.ts";
import type { SelectedDeployments } from "../../commands/several/select-deployments.ts";
import type { DryRunPlan } from "../../deploying/plan-without-lock.ts";
import type { DeployRequest } from "../../model/deployments/deploy-request.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { isLoss } from "../../model/problems/finding-codes.ts";
import type { OpenWorld, World } from "../../ports/world.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { expectDigest } from "../../report/plans/parse-expected-plan.ts";
import { deployRequest, type RollbackFlags } from "../flags/apply-flags.ts";
import { canAsk, confirmByText, confirmYes, isConfirmed } from "../flags/confirmation.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { print } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import { currentTime, reportOutcome, showDryRun, showPlan } from "../output/show-outcome.ts";
import { printProblem } from "../output/show-problem.ts";
import type { Shell } from "../program/shell.ts";
import { deployEnd, dryRunEnd, requireNoExpectedPlan } from "./deploy-several.ts";
import {
  type DeploymentEnd,
  runSeveral,
  type SeveralEnd,
  type SeveralWork,
} from "./run-several.ts";
import { selectFlagged } from "./select.ts";

export interface RollbackSeveral {
  readonly flags: RollbackFlags;
  readonly several: FlaggedSelection;
}

/**
 * Rolls back several deployments, each to its own previous release, dependencies first. On a
 * terminal it shows all plans, asks once, and carries out exactly these plans.
 */
export async function rollBackSeveral(
  world: OpenWorld,
  shell: Shell,
  { flags, several }: RollbackSeveral,
): Promise<number> {
  requireNoExpectedPlan(flags);
  if (flags.to !== "previous") throw onlyPrevious(flags);
  const use = { fromRecords: true, forPrograms: false };
  const selected = await selectFlagged(world, shell, { flags, several }, use);
  if (selected === undefined) return exitCode.done;
  const { quiet = false } = flags;
  const asks = flags.dryRun !== true && !isConfirmed(flags) && canAsk(shell);
  const run = { world, shell, parallel: several.parallel, quiet, asks };
  const request = await deployRequest(flags, shell);
  if (flags.dryRun === true)
    return previewAll(run, selected, request).then(({ end }) => codeOf(end));
  if (!asks) return codeOf(await rollBackAll(run, selected, request, undefined));
  const { end, previews } = await previewAll(run, selected, request);
  if (end.code !== exitCode.done || previews.size === 0) return codeOf(end);
  const agreed = await confirmAll(world, shell, previews);
  if (agreed === true) {
    const planned = selected.chosen.filter(({ name }) => previews.has(name));
    return codeOf(await rollBackAll(run, { ...selected, chosen: planned }, request, previews));
  }
  print(shell.stderr, `${agreed === undefined ? "Canceled. " : ""}Nothing was changed.`);
  return agreed === undefined ? exitCode.interrupted : exitCode.user;
}

function onlyPrevious({ to }: RollbackFlags): UserError {
  const what =
    to === undefined
      ? "The release to roll back to isn't set"
      : `Release ${to} is the number of a release of one deployment`;
  const fix = "Restore the previous release of each one with --to previous";
  return userError(to === undefined ? "ambiguous-selection" : "conflicting-flags", what, fix);
}

interface RollbackRun extends Pick<SeveralWork, "parallel" | "quiet"> {
  /** True if a question follows the plans. */
  readonly asks: boolean;
  readonly world: OpenWorld;
  readonly shell: Shell;
}

const previous = "previous" as const;

async function previewAll(
  { world, shell, asks, ...options }: RollbackRun,
  selected: SelectedDeployments,
  request: DeployRequest,
): Promise<{ readonly end: SeveralEnd; readonly previews: ReadonlyMap<string, DryRunPlan> }> {
  const previews = new Map<string, DryRunPlan>();
  const release = { to: previous, allowFailed: request.allowFailed };
  const end = await runSeveral(world, shell, selected, {
    ...{ ...options, prints: "text", dependencies: "first" },
    runOne: (one, deployment, section) =>
      unlessWithoutPrevious(section, async () => {
        const preview = await dryRunDeployment(one, deployment, { release }, request);
        previews.set(deployment.name, preview);
        if (!asks || !preview.planned.executable)
          return dryRunEnd(preview, showDryRun(preview, currentTime(one), section));
        showPlan(preview, currentTime(one), section.stderr);
        return dryRunEnd(preview, exitCode.done);
      }),
  });
  return { end, previews };
}

function rollBackAll(
  { world, shell, asks: _, ...options }: RollbackRun,
  selected: SelectedDeployments,
  request: DeployRequest,
  previews: ReadonlyMap<string, DryRunPlan> | undefined,
): Promise<SeveralEnd> {
  const rollBackOne = async (one: World, deployment: Deployment, section: Shell) => {
    const digest = previews?.get(deployment.name)?.planned.plan?.digest;
    const expected = digest === undefined ? undefined : expectDigest(digest);
    const chosen = { to: previous };
    const outcome = await rollback(one, deployment, chosen, { ...request, expected });
    return deployEnd(outcome, reportOutcome(outcome, deployment, section), "rolled back");
  };
  return runSeveral(world, shell, selected, {
    ...{ ...options, prints: "text", dependencies: "required" },
    runOne: (one, deployment, section) =>
      unlessWithoutPrevious(section, () => rollBackOne(one, deployment, section)),
  });
}

const withoutPrevious = "without previous release";

/**
 * Returns the end of the work. A deployment without a previous release stays as it is, and is no
 * error among others.
 */
async function unlessWithoutPrevious(
  { stderr }: Shell,
  work: () => Promise<DeploymentEnd>,
): Promise<DeploymentEnd> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [problem] = error.problems;
    if (problem?.code !== "release-not-found") throw error;
    printProblem(stderr, problem, "note");
    const group = withoutPrevious;
    const end = { code: exitCode.done, standing: "ready", tone: "quiet", changes: "" } as const;
    return { ...end, group, outcome: "no previous release" };
  }
}

/** Returns the exit code. It is an error if no deployment had a previous release. */
function codeOf({ code, ends }: SeveralEnd): number {
  const isNothing = ends.every(
    (end) => end.type === "done" && end.outcome.group === withoutPrevious,
  );
  return isNothing ? exitCode.user : code;
}

/**
 * Asks once for all rollbacks. If data is lost, the user must type the names of the affected
 * deployments.
 */
async function confirmAll(
  world: World,
  shell: Shell,
  previews: ReadonlyMap<string, DryRunPlan>,
): Promise<boolean | undefined> {
  const all = [...previews].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const losing = all.filter(([, { planned }]) =>
    planned.findings.some(({ code, severity }) => severity === "error" && isLoss(code)),
  );
  if (losing.length > 0) {
    const names = losing.map(([name]) => name).join(" ");
    const what = terminal`Not everything can be restored. To roll back anyway, type these names`;
    return (await confirmByText(world, shell, names, what)) || undefined;
  }
  const list = all.map(([name, { rollbackOf }]) => `${name} to release ${rollbackOf ?? ""}`);
  return confirmYes(world, shell, terminal`Roll back ${exactLine(list.join(", "))}?`);
}
