import type { Compiler } from "../../src/ports/cue.ts";
import { runHere } from "../support/qvs/run-here.ts";
import type { QvsResult } from "../support/qvs/run-qvs.ts";
import { type Accuracy, compareObjects, compareRefusal } from "./compare.ts";
import { compareWarnings } from "./compare-warnings.ts";
import { type Foretold, type ForetoldReport, foretell } from "./foretell.ts";

/** What is looked at besides the objects of the plan. */
export interface Watch {
  /** Called before the command, and what it returns afterwards. */
  readonly begin: () => Promise<(report: ForetoldReport) => Promise<void>>;
}

/** Runs a command as `runHere` does. What a deployment, a rollback or a deletion does is foretold first, and compared afterwards. */
export async function runForetold(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>>,
  accuracy: Accuracy,
  watch?: Watch,
): Promise<QvsResult> {
  const isPredicted = commandsWithPreview.has(args[0] ?? "") && !args.includes("--dry-run");
  const prediction = isPredicted ? await foretell(directory, args, compiler, env) : undefined;
  const end = prediction && (await watch?.begin());
  const result = await runHere(directory, args, compiler, env);
  if (prediction === undefined) return result;
  if (isMisused(result)) {
    prediction.close();
    return result;
  }
  try {
    await end?.(prediction.report);
    await compare(prediction, result, accuracy);
  } finally {
    prediction.close();
  }
  return result;
}

const commandsWithPreview: ReadonlySet<string> = new Set(["deploy", "rollback", "delete"]);

/** With a flag that it does not have, it does not even look at the deployment. */
function isMisused({ stderr }: QvsResult): boolean {
  return stderr.startsWith("error: unknown option ");
}

/** How far one that began and failed came is not foretold, but it has done nothing else. */
async function compare(
  { report, cluster }: Foretold,
  { code, stdout, stderr }: QvsResult,
  accuracy: Accuracy,
): Promise<void> {
  const wasBegun =
    / release \d+ (failed|succeeded|cancelled|superseded|unchanged)/.test(stdout) ||
    /^(Current state|Next steps):$/m.test(stderr);
  compareRefusal(report, { wasRefused: code !== 0 && !wasBegun, why: stderr }, accuracy);
  if (code !== 0 && !wasBegun) return;
  if (stderr.includes("[automatic-rollback]")) return;
  await compareObjects(report, cluster, accuracy, code === 0 ? "all" : "a part");
  if (code !== 0) return;
  compareWarnings(report, stderr, accuracy);
}
