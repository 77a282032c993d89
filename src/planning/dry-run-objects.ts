import pMap from "p-map";
import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import type { History, LiveObjects } from "../model/deployments/release.ts";
import { addressOf, type KubeObject } from "../model/object.ts";
import { fieldManager, isRecreated } from "../model/plan/plan.ts";
import type { DesiredObject } from "../plan/declared/objects.ts";
import type { DryRunResults, PlanRules } from "../plan/plan-input.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { maskAllocatedValues } from "../ssa/allocated-values.ts";
import type { DryRunRequest, DryRunResult, StepCandidate, StepTrial } from "../ssa/steps/step.ts";
import { detections, plainResult } from "../ssa/steps/steps.ts";

/** The inputs of an object's dry runs, in addition to the object. */
interface DryRunContext {
  readonly rules: Pick<PlanRules, "deployment" | "policy" | "corrects">;
  /**
   * Objects outside this deployment. qvs never recreates them, because it would send their live
   * values as its own.
   */
  readonly foreign: ReadonlyMap<string, unknown>;
  readonly live: LiveObjects;
  readonly history: Pick<History, "lastDeclared" | "sent">;
}

/**
 * Dry-runs the apply of each object.
 * If a live object needs another step, such as taking ownership or a recreation, qvs dry-runs this
 * step in the same way.
 */
export async function dryRunObjects(
  cluster: Cluster,
  objects: readonly DesiredObject[],
  context: DryRunContext,
  concurrency: number,
): Promise<DryRunResults> {
  const results = await pMap(
    objects,
    async (desired) => [desired.key, await dryRunObject(cluster, desired, context)] as const,
    { concurrency },
  );
  return new Map(results);
}

async function dryRunObject(
  cluster: Cluster,
  desired: DesiredObject,
  context: DryRunContext,
): Promise<DryRunResult> {
  const warnings = new Set<string>();
  const send = async (request: DryRunRequest) => {
    const answer = await sendDryRun(cluster, desired, request, context);
    for (const text of answer.warnings ?? []) warnings.add(text);
    return answer;
  };
  const result = maskAllocated(await tryAllSteps(desired, send, context), desired, context);
  return warnings.size === 0 ? result : { ...result, warnings: [...warnings] };
}

/** Removes the values that the API server allocated only for the dry run. */
function maskAllocated(
  result: DryRunResult,
  { key, object }: DesiredObject,
  { live }: DryRunContext,
): DryRunResult {
  const { answer, steps } = result;
  if (!answer.ok) return result;
  const isNew = isRecreated(steps);
  const value = maskAllocatedValues(answer.value, object, isNew ? undefined : live.get(key));
  return { ...result, answer: { ...answer, value } };
}

async function tryAllSteps(
  desired: DesiredObject,
  send: (request: DryRunRequest) => Promise<ApiResult<KubeObject>>,
  context: DryRunContext,
): Promise<DryRunResult> {
  const live = context.live.get(desired.key);
  let result = plainResult(await send({ verb: "apply", object: desired.object, force: false }));
  if (live === undefined) return result;
  const candidate = toCandidate(desired, live, context);
  for (const detect of detections) {
    const trial = detect(candidate, result);
    if (trial === undefined) continue;
    const answers: ApiResult<KubeObject>[] = [];
    for (const each of trial.requests) {
      const request = typeof each === "function" ? each(answers) : each;
      if (request === undefined) continue;
      const answer = await send(request);
      answers.push(answer);
      if (answer.ok) continue;
      await tryFallbacks(trial, answers, send);
      break;
    }
    result = trial.conclude(answers);
  }
  return result;
}

/** Tries the alternatives until one succeeds, and appends their answers. */
async function tryFallbacks(
  { fallbacks = [] }: StepTrial,
  answers: ApiResult<KubeObject>[],
  send: (request: DryRunRequest) => Promise<ApiResult<KubeObject>>,
): Promise<void> {
  for (const each of fallbacks) {
    const request = each(answers);
    if (request === undefined) continue;
    const answer = await send(request);
    answers.push(answer);
    if (answer.ok) return;
  }
}

function toCandidate(
  desired: DesiredObject,
  live: KubeObject,
  { rules: { deployment, policy, corrects }, foreign, history }: DryRunContext,
): StepCandidate {
  const { key, stage, object, ignoring } = desired;
  const isForeign = foreign.has(key);
  const recreated = isForeign ? undefined : desired.recreated.object;
  const recorded =
    isForeign || !history.lastDeclared.has(key)
      ? undefined
      : { sent: history.sent.get(key), ignored: ignoring?.paths ?? [] };
  const { conflicts } = policy;
  const { takeover } = conflicts;
  return { deployment, stage, object, live, takeover, recreated, conflicts, corrects, recorded };
}

async function sendDryRun(
  cluster: Cluster,
  { object, stage }: DesiredObject,
  request: DryRunRequest,
  { rules: { deployment } }: DryRunContext,
): Promise<ApiResult<KubeObject>> {
  const options = { fieldManager: fieldManager(deployment, stage), dryRun: true };
  switch (request.verb) {
    case "apply":
      return cluster.apply(request.object, { ...options, force: request.force });
    case "create":
      return cluster.create(request.object, { dryRun: true });
    case "patch":
      return cluster.patch(addressOf(object), request.patch, options);
  }
}
