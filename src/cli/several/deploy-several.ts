import { deploy } from "../../commands/deploy.ts";
import { dryRunDeployment } from "../../commands/dry-run.ts";
import { createDeclaredElsewhere } from "../../commands/several/declared-elsewhere.ts";
import { deployStanding } from "../../commands/several/deploy-changed.ts";
import type { DeployOutcome } from "../../deploying/deploy-outcome.ts";
import { describeRelease } from "../../deploying/describe-outcome.ts";
import type { DryRunPlan } from "../../deploying/plan-without-lock.ts";
import { userError } from "../../model/problems/errors.ts";
import type { OpenWorld } from "../../ports/world.ts";
import { countResults } from "../../report/outcome-report.ts";
import { countPlan } from "../../report/review/count-objects.ts";
import { describeCounts } from "../../report/several-summary.ts";
import { type ApplyFlags, deployRequest } from "../flags/apply-flags.ts";
import type { ExpectFlags } from "../flags/confirmation.ts";
import type { CommonOptions } from "../flags/options.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { exitCode } from "../output/report-failure.ts";
import { currentTime, reportOutcome, showDryRun } from "../output/show-outcome.ts";
import type { Shell } from "../program/shell.ts";
import { type DeploymentEnd, runSeveral } from "./run-several.ts";
import { selectFlagged } from "./select.ts";

export interface DeploySeveral {
  readonly flags: ApplyFlags & CommonOptions;
  readonly several: FlaggedSelection;
}

/**
 * Deploys several deployments, dependencies first. A failure skips its dependents. With --dry-run,
 * it shows the plan of each one.
 */
export async function deploySeveral(
  world: OpenWorld,
  shell: Shell,
  { flags, several }: DeploySeveral,
): Promise<number> {
  requireNoExpectedPlan(flags);
  const use = { fromRecords: false, forPrograms: false, leavesRemoved: true };
  const selected = await selectFlagged(world, shell, { flags, several }, use);
  if (selected === undefined) return exitCode.done;
  const { param: inline = [], quiet = false, dryRun = false } = flags;
  const request = await deployRequest(flags, shell);
  const listTogether = async () => selected.chosen;
  const declaredElsewhere = createDeclaredElsewhere(world, {
    ...{ all: selected.all, listTogether, inline, purpose: "deploy" },
  });
  const { code } = await runSeveral(world, shell, selected, {
    ...{ parallel: several.parallel, quiet, prints: "text" },
    dependencies: dryRun ? "first" : "required",
    runOne: async (alone, deployment, section) => {
      const one = { ...alone, declaredElsewhere };
      if (dryRun) {
        const preview = await dryRunDeployment(one, deployment, { inline }, request);
        return dryRunEnd(preview, showDryRun(preview, currentTime(one), section));
      }
      const outcome = await deploy(one, deployment, inline, request);
      return deployEnd(outcome, reportOutcome(outcome, deployment, section), "deployed");
    },
  });
  return code;
}

/** Rejects the approval of one plan: a run of several deployments has several plans. */
export function requireNoExpectedPlan({ expectDigest, expectPlan }: ExpectFlags): void {
  if (expectDigest === undefined && expectPlan === undefined) return;
  const flag = expectPlan === undefined ? "--expect-digest" : "--expect-plan";
  throw userError(
    "conflicting-flags",
    `${flag} approves the plan of one deployment`,
    `Name one deployment with --deployment, or remove ${flag}`,
  );
}

/** Returns the end of a deployment or a rollback, for the summary. */
export function deployEnd(
  outcome: DeployOutcome,
  code: number,
  done: "deployed" | "rolled back",
): DeploymentEnd {
  const standing = deployStanding(outcome);
  const common = { code, standing, tone: toneOf(code) };
  if (outcome.type === "superseded")
    return { ...common, group: "superseded", outcome: "superseded", changes: "" };
  const { isNewRelease, result } = outcome;
  const group = isNewRelease || !result.succeeded ? endGroup(code, done) : "unchanged";
  const words = describeRelease(outcome);
  return { ...common, group, outcome: words, changes: countResults(result.results) };
}

function endGroup(code: number, done: string): string {
  if (code === exitCode.done) return done;
  if (code === exitCode.superseded) return "superseded";
  return code === exitCode.interrupted ? "canceled" : "failed";
}

function toneOf(code: number): DeploymentEnd["tone"] {
  if (code === exitCode.done) return "added";
  return code === exitCode.user ? "removed" : "changed";
}

/** Returns the end of a dry run, for the summary. */
export function dryRunEnd({ planned }: DryRunPlan, code: number): DeploymentEnd {
  const changes = planned.plan === undefined ? "" : describeCounts(countPlan(planned.plan));
  const isBlocked = code !== exitCode.done;
  const outcome = changes === "" ? "no changes" : "changes";
  return {
    ...{ code, standing: "ready", changes, tone: isBlocked ? "removed" : "added" },
    group: isBlocked ? "blocked" : changes === "" ? "without changes" : "with changes",
    outcome: isBlocked
      ? `blocked: ${planned.executable ? "" : planned.blockers[0]?.code}`
      : outcome,
  };
}
