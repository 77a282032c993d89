import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Step, StepOf } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { applyJsonPatch } from "../json-patch.ts";
import { force } from "./force.ts";
import { growClaims } from "./grow-claims.ts";
import { migrateApiVersion } from "./migrate-api-version.ts";
import { orphan } from "./orphan.ts";
import { reclaim } from "./reclaim.ts";
import { recreate } from "./recreate.ts";
import { removeDefault } from "./remove-default.ts";
import type {
  DryRunResult,
  Execution,
  StepCandidate,
  StepKind,
  StepLabels,
  StepTarget,
  StepTrial,
} from "./step.ts";
import { transferOwnership } from "./transfer-ownership.ts";

/** The last step of each change, unless another step replaces it. */
const apply: StepKind<StepOf<"apply">> = {
  detect: () => undefined,
  assume: () => undefined,
  execution: () => ({ by: "apply", force: [] }),
  describe: () => [],
  digest: () => ({}),
};

/**
 * All steps, in the order of their detection.
 * It starts with the last step to run. Each further step runs before the ones found so far or
 * replaces them.
 */
const kinds: { readonly [T in Step["type"]]: StepKind<StepOf<T>> } = {
  apply,
  force,
  "remove-default": removeDefault,
  "migrate-api-version": migrateApiVersion,
  reclaim,
  "transfer-ownership": transferOwnership,
  recreate,
  orphan,
  "grow-claims": growClaims,
};

/** Returns the result after the API server's answer without any step. */
export function plainResult(alone: DryRunResult["alone"]): DryRunResult {
  return { alone, answer: alone, steps: [{ type: "apply" }] };
}

/** The detection functions of all steps, in order. */
export const detections: readonly ((
  candidate: StepCandidate,
  soFar: DryRunResult,
) => StepTrial | undefined)[] = Object.values(kinds).map(({ detect }) => detect);

/** Returns the steps for a live object that the API server can't dry-run. */
export function assumedSteps(target: StepTarget): readonly Step[] {
  const before = Object.values(kinds).flatMap(({ assume }) => assume(target) ?? []);
  return [...before.toReversed(), { type: "apply" }];
}

/** Returns the live object at the time of the apply. The steps before it are patches. */
export function applyStepPatches(
  steps: readonly Step[],
  { live, ...target }: StepTarget,
): KubeObject {
  return steps.reduce((object, step) => {
    const execution = stepExecution(step, target);
    const patch = execution.by === "patch" ? execution.patch(object) : "done";
    return typeof patch === "string" ? object : applyJsonPatch(object, patch);
  }, live);
}

export function stepExecution(step: Step, target: Omit<StepTarget, "live">): Execution {
  return stepKind(step).execution(step, target);
}

export function describeStep(step: Step, words: StepLabels): readonly Problem[] {
  return stepKind(step).describe(step, words);
}

/** Returns the steps' part of the digest of a plan. */
export function digestSteps(steps: readonly Step[]): JsonObject {
  return Object.fromEntries(steps.flatMap((step) => Object.entries(stepKind(step).digest(step))));
}

/** Returns the step kind for a step. */
function stepKind<S extends Step>(step: S): StepKind<S> {
  return kinds[step.type] as unknown as StepKind<S>;
}
