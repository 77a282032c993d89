import { setTimeout as sleep } from "node:timers/promises";
import { at, type JsonObject, sameJson } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import type { Change } from "../../src/model/plan/plan.ts";
import type { RollbackPreview } from "../../src/model/plan/predictions.ts";
import { type Finding, isOpen } from "../../src/model/problems/finding.ts";
import { obstacleKey } from "../../src/planning/rollback/losses-of-plan.ts";
import type { Compiler } from "../../src/ports/cue.ts";
import type { Accuracy } from "./compare.ts";
import { type PredictedReport, predict } from "./predict.ts";

interface Deployed {
  readonly directory: string;
  /** The arguments of the deployment that has just succeeded. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly rollback: RollbackPreview;
  /** The findings of the preview of the deployment. */
  readonly findings?: readonly Finding[] | undefined;
}

/**
 * Compares the rollback that the preview of a deployment predicted with the plan of the real
 * rollback after the deployment. It plans without flags and with the predicted ones.
 */
export async function compareRollback(
  { directory, args, env, rollback, findings = [] }: Deployed,
  compiler: Compiler,
  accuracy: Accuracy,
): Promise<void> {
  const { to, needs, possible, objects } = rollback;
  if (possible === undefined) {
    accuracy.rollbacks.unknown++;
    return;
  }
  const plan = async (flags: readonly string[]) => {
    const words = ["rollback", ...selectionIn(args), "--to", `${to}`, ...flags];
    const predicted = await predict(directory, words, compiler, env);
    predicted?.close();
    return predicted?.report;
  };
  // The deployment has the same fault and succeeded.
  const known = findings.map(({ code, object }) => JSON.stringify([code, object]));
  const isKnown = ({ code, object }: Finding) => known.includes(JSON.stringify([code, object]));
  let plain = needs.length === 0 ? undefined : await plan([]);
  // An autoscaler scales a moment after the deployment created it.
  for (let attempt = 1; attempt < 20 && plain?.blockers.length === 0; attempt++) {
    await sleep(500);
    plain = await plan([]);
  }
  let real = await plan(needs.map(toFlag));
  // A policy takes effect a moment after the deployment created it.
  for (let attempt = 1; attempt < 20 && !possible; attempt++) {
    if (real === undefined || !isPossible(real, isKnown)) break;
    await sleep(500);
    real = await plan(needs.map(toFlag));
  }
  // The release was pruned, or the deployment changed nothing.
  if (real === undefined) return;
  const name = `${args.join(" ")}: rollback to ${to}`;
  count(accuracy, isPossible(real, isKnown) === possible, `${name}: ${describe(rollback, real)}`);
  if (!possible || !isPossible(real, isKnown)) return;
  const { all, certain, finished } = changedNames(real);
  const found = `${name}: ${objects} objects predicted, but ${all.length}: ${all.join(", ")}`;
  const named = new Set(rollback.notes.map(obstacleKey));
  const sure = certain.filter((key) => !named.has(key));
  count(accuracy, sure.length <= objects && objects <= all.length + finished, found);
  const unpredicted = unpredictedLosses(rollback, real);
  const lost = `${name}: loses ${unpredicted.join(", ")}`;
  if (rollback.lost.length + unpredicted.length > 0)
    count(accuracy, unpredicted.length === 0, lost);
  if (needs.length === 0) return;
  count(accuracy, plain !== undefined && plain.blockers.length > 0, `${name}: needs no flag`);
}

function count(accuracy: Accuracy, isRight: boolean, wrong: string): void {
  accuracy.rollbacks.all++;
  if (isRight) accuracy.rollbacks.right++;
  else accuracy.rollbacks.wrong.push(wrong);
}

/** Only the plan of the rollback itself counts, not a rollout that already hangs. */
function isPossible(
  { blockers, findings = [] }: PredictedReport,
  isKnown: (finding: Finding) => boolean,
): boolean {
  const failing = findings.filter(
    (each) => isOpen(each) && each.severity === "error" && !isKnown(each),
  );
  return blockers.length === 0 && failing.every(({ code }) => lossCodes.has(code));
}

const lossCodes: ReadonlySet<string> = new Set(["data-lost", "migration-completed"]);

function describe(rollback: RollbackPreview, { blockers, findings = [] }: PredictedReport): string {
  const reasons = rollback.reasons.map(({ what }) => what).join("; ");
  const errors = findings.filter(({ severity }) => severity === "error");
  const real = [...blockers, ...errors].map(({ what }) => what).join("; ");
  return `predicted ${rollback.possible ? "possible" : `not possible (${reasons})`}, but ${real === "" ? "possible" : real}`;
}

/**
 * Lists the changed objects. Those whose content stays the same aren't certain: the preview leaves
 * out objects of which only the API version or the owners change.
 */
function changedNames({ plan }: PredictedReport): {
  readonly all: readonly string[];
  readonly certain: readonly string[];
  /** The number of Jobs that the rollback creates again as soon as the cluster has deleted them. */
  readonly finished: number;
} {
  const changed = plan?.changes.filter(({ action }) => action !== "unchanged") ?? [];
  const deleted = (plan?.deletions ?? []).map(({ key }) => key);
  const names = (changes: readonly Change[]) => changes.map(({ key }) => key);
  return {
    all: [...names(changed), ...deleted],
    certain: [...names(changed.filter(changesContent)), ...deleted],
    finished: (plan?.changes ?? []).filter(isDeletedSoon).length,
  };
}

/** Reports whether the cluster deletes the Job a moment after it finishes. */
function isDeletedSoon({ desired, action }: Change): boolean {
  return action === "unchanged" && at(desired, "spec", "ttlSecondsAfterFinished") !== undefined;
}

function changesContent({ live, predicted, desired }: Change): boolean {
  if (live === undefined || predicted === undefined) return true;
  return live.apiVersion === desired.apiVersion && !sameJson(content(live), content(predicted));
}

function content({ metadata: { labels, annotations }, ...rest }: KubeObject): JsonObject {
  return { ...rest, labels: labels ?? null, annotations: annotations ?? null };
}

/** Lists the objects whose data the real rollback loses and the preview doesn't report. */
function unpredictedLosses(
  { lost }: RollbackPreview,
  { findings = [] }: PredictedReport,
): readonly string[] {
  const predicted = new Set(lost.map(({ object }) => JSON.stringify(object)));
  return findings
    .filter(
      ({ code, severity }) =>
        code === "kept-object-missing" || (code === "data-lost" && severity === "error"),
    )
    .filter(({ object }) => !predicted.has(JSON.stringify(object)))
    .map(({ what }) => what);
}

/** Returns the arguments that select the deployment: its name and namespace. */
/** A prediction assumes that the rollback overrides the same freeze as the deployment. */
const keptFlags = ["-n", "--namespace", "-d", "--deployment", "--override-freeze"];

function selectionIn(args: readonly string[]): readonly string[] {
  return args.flatMap((word, index) =>
    keptFlags.includes(word) ? [word, args[index + 1] ?? ""] : [],
  );
}

/** Converts an input to a flag: `allow-delete: Namespace` to `--allow-delete=Namespace`. */
export function toFlag(input: string): string {
  const [name = "", value = ""] = input.split(": ");
  return value === "true" ? `--${name}` : `--${name}=${value}`;
}
