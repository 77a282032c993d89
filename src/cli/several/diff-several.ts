import { diff } from "../../commands/diff.ts";
import { createDeclaredElsewhere } from "../../commands/several/declared-elsewhere.ts";
import { createUpstreamPreviews } from "../../commands/several/upstream-previews.ts";
import type { OpenWorld } from "../../ports/world.ts";
import type { DeploymentReport } from "../../report/comment/comment-input.ts";
import { reportJson } from "../../report/report-json.ts";
import { countReport } from "../../report/review/count-objects.ts";
import { describeCounts } from "../../report/several-summary.ts";
import { plural } from "../../report/text/counts.ts";
import type { FlaggedSelection } from "../flags/several.ts";
import { exitCode } from "../output/report-failure.ts";
import { type DiffFlags, diffExitCode, diffOptions, showText } from "../output/show-report.ts";
import type { Shell } from "../program/shell.ts";
import { type DeploymentEnd, runSeveral, type SeveralWork } from "./run-several.ts";
import { selectFlagged } from "./select.ts";

/**
 * Previews several deployments, each on top of the planned changes of its dependencies. In formats
 * markdown and html, one document contains all previews.
 */
export async function diffSeveral(
  world: OpenWorld,
  shell: Shell,
  { flags, several }: { readonly flags: DiffFlags; readonly several: FlaggedSelection },
): Promise<number> {
  const { format, quiet = false } = flags;
  const use = { fromRecords: false, forPrograms: format !== "text" };
  const selected = await selectFlagged(world, shell, { flags, several }, use);
  if (selected === undefined) return exitCode.done;
  const previews = createUpstreamPreviews(selected.all);
  const options = diffOptions(flags);
  const reports: DeploymentReport[] = [];
  const listTogether = async () => selected.chosen;
  const declaredElsewhere = createDeclaredElsewhere(world, {
    ...{ all: selected.all, listTogether, inline: options.inline, purpose: "show" },
  });
  const { code } = await runSeveral(world, shell, selected, {
    ...{ parallel: several.parallel, quiet, dependencies: "first", prints: printing(format) },
    runOne: async (alone, deployment, section) => {
      const one = { ...alone, declaredElsewhere };
      const report = await previews.preview(deployment, (effect) =>
        diff(one, deployment, { ...options, effect }),
      );
      if (format === "text") showText(report, flags, one, section);
      else if (format !== "json") reports.push(report);
      return diffEnd(report, flags);
    },
  });
  if (format === "markdown" || format === "html") {
    const names = selected.chosen.map(({ name }) => name);
    const sorted = reports.toSorted(
      (a, b) => names.indexOf(a.deployment.name) - names.indexOf(b.deployment.name),
    );
    const { showDocument } = await import("../output/show-document.ts");
    await showDocument(sorted, format, world, shell);
  }
  return code;
}

function printing(format: DiffFlags["format"]): SeveralWork["prints"] {
  return format === "text" || format === "json" ? format : "other";
}

function diffEnd(report: DeploymentReport, flags: DiffFlags): DeploymentEnd {
  const code = diffExitCode(report, flags);
  const counts = countReport(report);
  const changes = counts === undefined ? "" : describeCounts(counts);
  const json = flags.format === "json" ? { json: reportJson(report) } : {};
  const [first] = [...report.problems, ...report.blockers];
  const common = { code, standing: "ready", changes, ...json } as const;
  if (first !== undefined || report.plan === undefined) {
    const why = first?.code ?? "no plan";
    const outcome = `blocked: ${why}${versionNote(report)}`;
    return { ...common, group: "blocked", outcome, tone: "removed" };
  }
  const isChanged = changes !== "";
  const group = isChanged ? "with changes" : "without changes";
  const note = versionNote(report);
  if (code === exitCode.user)
    return { ...common, group, outcome: `findings${note}`, tone: "removed" };
  const outcome = `${isChanged ? "changes" : "no changes"}${note}`;
  return { ...common, group, outcome, tone: isChanged || note !== "" ? "changed" : "added" };
}

/** Returns the number of findings about another version of Kubernetes; empty if there are none. */
function versionNote({ againstVersion }: DeploymentReport): string {
  if (againstVersion === undefined || againstVersion.findings === 0) return "";
  const { version, findings } = againstVersion;
  return ` (Kubernetes ${version}: ${plural(findings, "finding")})`;
}
