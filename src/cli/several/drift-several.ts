import { drift } from "../../commands/drift.ts";
import { type ReconcileOutcome, reconcile } from "../../commands/reconcile.ts";
import { deployStanding } from "../../commands/several/deploy-changed.ts";
import type { DeployRequest } from "../../model/deployments/deploy-request.ts";
import type { Drift } from "../../model/deployments/drift.ts";
import { userError } from "../../model/problems/errors.ts";
import type { OpenWorld } from "../../ports/world.ts";
import { driftJson } from "../../report/drift/drift-json.ts";
import { countResults } from "../../report/outcome-report.ts";
import { plural } from "../../report/text/counts.ts";
import type { ReconcileFlags } from "../drift/reconcile.ts";
import {
  type DriftFlags,
  driftExitCode,
  reportCorrection,
  showDrift,
} from "../drift/show-drift.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { exitCode } from "../output/report-failure.ts";
import type { Shell } from "../program/shell.ts";
import { deployEnd } from "./deploy-several.ts";
import { type DeploymentEnd, runSeveral } from "./run-several.ts";
import { selectFlagged } from "./select.ts";

/** Compares several deployments with their current releases. */
export async function driftSeveral(
  world: OpenWorld,
  shell: Shell,
  { flags, several }: { readonly flags: DriftFlags; readonly several: FlaggedSelection },
): Promise<number> {
  const { format, quiet = false, allNamespaces, namespaces } = flags;
  if (allNamespaces === true || namespaces !== undefined) throw conflictingSelections();
  const use = { fromRecords: true, forPrograms: format !== "text" };
  const selected = await selectFlagged(world, shell, { flags, several }, use);
  if (selected === undefined) return exitCode.done;
  const found = new Map<string, Drift>();
  const { code, ends } = await runSeveral(world, shell, selected, {
    ...{ parallel: several.parallel, quiet, dependencies: "ignored" },
    prints: format === "text" || format === "json" ? format : "other",
    runOne: async (one, deployment, section) => {
      const drifts = await drift(one, [deployment]);
      for (const each of drifts) found.set(deployment.name, each);
      if (format === "text") showDrift(drifts, flags, section);
      return driftEnd(drifts);
    },
  });
  const drifts = selected.chosen.flatMap(({ name }) => found.get(name) ?? []);
  if (format !== "text" && format !== "json") showDrift(drifts, flags, shell);
  return ends.every(({ type }) => type === "done") ? driftExitCode(drifts) : code;
}

function conflictingSelections() {
  return userError(
    "conflicting-flags",
    "--all-namespaces and --namespaces select whole namespaces",
    "Remove them, or remove --deployment, --all and --changed",
  );
}

const tones = { clean: "added", drifted: "changed", unknown: "removed" } as const;

function driftEnd(drifts: readonly Drift[]): DeploymentEnd {
  const [only] = drifts;
  const status = only?.status ?? "unknown";
  const number = only?.objects.length ?? 0;
  return {
    ...{ code: driftExitCode(drifts), standing: "ready", tone: tones[status] },
    ...{ group: status, outcome: status, json: driftJson(drifts) },
    changes: number === 0 ? "" : plural(number, "object"),
  };
}

interface ReconcileSeveral {
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
