import { drift } from "../../commands/drift.ts";
import type { Drift } from "../../model/drift.ts";
import { userError } from "../../model/problems/errors.ts";
import type { OpenWorld } from "../../ports/world.ts";
import { driftJson } from "../../report/drift/drift-json.ts";
import { plural } from "../../report/text/counts.ts";
import { type DriftFlags, driftExitCode, showDrift } from "../drift/show-drift.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { exitCode } from "../output/report-failure.ts";
import type { Shell } from "../shell.ts";
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
