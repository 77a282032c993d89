import * as v from "valibot";
import type { OutcomeReport } from "./outcome-report.ts";
import type { Counts } from "./review/count-objects.ts";

/** The result of one deployment's job, without anything confidential. */
export interface DeploymentResult {
  readonly outcome: OutcomeReport;
  /** Undefined if the run was blocked or ended early. */
  readonly changes: Counts | undefined;
  /** The digest of the executed plan. */
  readonly digest: string | undefined;
}

const version = 1;

/**
 * Returns the content of result.json.
 * It leaves out container logs: everyone who can read the repository can read its artifacts.
 */
export function resultText(results: readonly DeploymentResult[], commit: string): string {
  const deployments = results.map(({ outcome, changes, digest }) => ({
    ...outcome,
    evidence: outcome.evidence.map(({ key, publicLines }) => ({ key, lines: publicLines })),
    changes,
    digest,
  }));
  return `${JSON.stringify({ version, commit, deployments }, null, 2)}\n`;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const outcomes = [
  ...(["created", "updated", "replaced", "unchanged"] as const),
  ...(["deleted", "kept", "failed", "not attempted"] as const),
] as const;

const time = v.pipe(v.number(), v.finite());
const timeline = v.object({
  began: time,
  ended: time,
  planned: v.optional(time),
  spans: v.array(
    v.object({
      key: v.string(),
      began: time,
      ended: time,
      ending: v.picklist(["done", "failed", "unfinished"]),
    }),
  ),
});

const schema = v.object({
  version: v.literal(version),
  commit: v.string(),
  deployments: v.array(
    v.object({
      deployment: v.string(),
      environment: v.optional(v.string()),
      revision: v.optional(count),
      rollbackOf: v.optional(count),
      goesBack: v.exactOptional(v.boolean()),
      succeeded: v.boolean(),
      unchanged: v.exactOptional(v.boolean()),
      superseded: v.exactOptional(v.string()),
      noLongerListed: v.exactOptional(v.boolean()),
      stopped: v.optional(v.string()),
      cancelled: v.exactOptional(v.boolean()),
      gaveWay: v.exactOptional(v.boolean()),
      timeline: v.exactOptional(timeline),
      notices: v.exactOptional(v.array(v.string())),
      waysBack: v.exactOptional(v.array(v.string())),
      results: v.array(
        v.object({ key: v.string(), outcome: v.picklist(outcomes), detail: v.string() }),
      ),
      evidence: v.array(v.object({ key: v.string(), lines: v.array(v.string()) })),
      refusal: v.optional(v.string()),
      hasChanged: v.exactOptional(v.literal(true)),
      removal: v.exactOptional(v.picklist(["delete", "keep"])),
      changes: v.optional(
        v.object({ create: count, update: count, replace: count, delete: count }),
      ),
      digest: v.optional(v.string()),
    }),
  ),
});

/** Parses a result.json. Returns undefined for any other text or version. */
export function readResult(text: string): readonly DeploymentResult[] | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  return parsed.success ? parsed.output.deployments.map(toResult) : undefined;
}

function toResult({
  changes,
  digest,
  evidence,
  ...outcome
}: v.InferOutput<typeof schema>["deployments"][number]): DeploymentResult {
  const { environment, revision, rollbackOf, refusal } = outcome;
  const known = { environment, revision, rollbackOf, refusal };
  const shown = evidence.map(({ key, lines }) => ({ key, lines, publicLines: lines }));
  return { outcome: { ...outcome, ...known, evidence: shown }, changes, digest };
}

/**
 * Returns the result of a deployment whose job didn't start because a newer run superseded an
 * earlier level.
 */
export function supersededResult(deployment: string, gaveWay: string): DeploymentResult {
  const { outcome } = missingResult(deployment);
  const superseded = `The job of ${deployment} didn't run, because a newer run superseded ${gaveWay}. The newer run deploys the rest`;
  return {
    outcome: { ...outcome, succeeded: true, superseded, gaveWay: true, refusal: undefined },
    changes: undefined,
    digest: undefined,
  };
}

/** Returns the result of a deployment whose job left no result. */
export function missingResult(deployment: string): DeploymentResult {
  const nothing = { environment: undefined, revision: undefined, rollbackOf: undefined };
  const refusal = `The job of ${deployment} didn't run or left no result: an earlier level failed, no one approved the job, or it was canceled`;
  return {
    outcome: { deployment, ...nothing, succeeded: false, results: [], evidence: [], refusal },
    changes: undefined,
    digest: undefined,
  };
}
