import { deployStanding } from "../../commands/deploy-changed.ts";
import { type ReconcileOutcome, reconcile } from "../../commands/reconcile.ts";
import type { DeployRequest } from "../../model/deploy-request.ts";
import type { OpenWorld } from "../../ports/world.ts";
import { countResults } from "../../report/outcome-report.ts";
import type { ReconcileFlags } from "../drift/reconcile.ts";
import { reportCorrection } from "../drift/show-correction.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { exitCode } from "../output/report-failure.ts";
import type { Shell } from "../shell.ts";
import { deployEnd } from "./deploy-several.ts";
import { type DeploymentEnd, runSeveral } from "./run-several.ts";
import { selectFlagged } from "./select.ts";

export interface ReconcileSeveral {
  readonly flags: ReconcileFlags;
  readonly several: FlaggedSelection;
  readonly request: DeployRequest;
}

/** Corrects the drift of several deployments, dependencies first. */
export async function reconcileSeveral(
  world: OpenWorld,
  shell: Shell,
  { flags, several, request }: ReconcileSeveral,
): Promise<number> {
  const use = { fromRecords: true, forPrograms: false };
  const selected = await selectFlagged(world, shell, { flags, several }, use);
  if (selected === undefined) return exitCode.done;
  const { code } = await runSeveral(world, shell, selected, {
    ...{ parallel: several.parallel, quiet: flags.quiet ?? false, prints: "text" },
    dependencies: "required",
    runOne: async (one, deployment, section) => {
      const outcome = await reconcile(one, deployment, request);
      return correctionEnd(outcome, reportCorrection(outcome, section));
    },
  });
  return code;
}

function correctionEnd(done: ReconcileOutcome, code: number): DeploymentEnd {
  switch (done.type) {
    case "clean":
      return {
        ...{ code, standing: "ready", group: "clean", outcome: "clean", changes: "" },
        tone: "added",
      };
    case "superseded":
      return deployEnd({ type: "superseded", why: done.why }, code, "deployed");
    case "corrected": {
      const { outcome } = done;
      const end = deployEnd(outcome, code, "deployed");
      const isDone = code === exitCode.done;
      const changes = countResults(outcome.result.results);
      const group = isDone ? "corrected" : end.group;
      return { ...end, standing: deployStanding(outcome), group, outcome: group, changes };
    }
  }
}
