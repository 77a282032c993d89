import type { Compiler } from "../../src/ports/cue.ts";
import { runHere } from "../support/qvs/run-here.ts";
import type { QvsResult } from "../support/qvs/run-qvs.ts";
import { type Accuracy, compareObjects, compareRefusal } from "./compare.ts";
import { compareRollback } from "./compare-rollback.ts";
import { compareWarnings } from "./compare-warnings.ts";
import { type PredictedReport, type Prediction, predict } from "./predict.ts";

/** Observes objects that aren't in the plan. */
export interface Watch {
  /** Called before the command. The returned function is called after it. */
  readonly begin: () => Promise<(report: PredictedReport) => Promise<void>>;
}

/**
 * Runs a command like `runHere`. For a deployment, a rollback or a deletion, it makes a preview
 * first and compares it with the result.
 */
export async function runPredicted(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>>,
  accuracy: Accuracy,
  watch?: Watch,
): Promise<QvsResult> {
  const isPredicted = commandsWithPreview.has(args[0] ?? "") && !args.includes("--dry-run");
  const prediction = isPredicted ? await predict(directory, args, compiler, env) : undefined;
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
    const { rollback, findings } = prediction.report;
    if (result.code === 0 && rollback !== undefined)
      await compareRollback({ directory, args, env, rollback, findings }, compiler, accuracy);
  } finally {
    prediction.close();
  }
  return result;
}

const commandsWithPreview: ReadonlySet<string> = new Set(["deploy", "rollback", "delete"]);

/**
 * Reports whether the command was rejected because of an unknown flag, before it read the
 * deployment.
 */
function isMisused({ stderr }: QvsResult): boolean {
  return stderr.startsWith("error: unknown option ");
}

/**
 * Compares the preview with the result. A preview doesn't predict how much a failed deployment
 * completes, but it must not do anything else.
 */
async function compare(
  { report, cluster }: Prediction,
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
