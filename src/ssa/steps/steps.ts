import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Step, StepOf } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { patched } from "../json-patch.ts";
import { apply } from "./apply.ts";
import { force } from "./force.ts";
import { migrateApiVersion } from "./migrate-api-version.ts";
import { reclaim } from "./reclaim.ts";
import { recreate } from "./recreate.ts";
import { removeDefault } from "./remove-default.ts";
import type {
  Candidate,
  DryRunResult,
  Execution,
  StepKind,
  StepWords,
  Target,
  Trial,
} from "./step.ts";
import { transferOwnership } from "./transfer-ownership.ts";

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
};

/** Returns the result after the API server's answer without any step. */
export function answeredAlone(alone: DryRunResult["alone"]): DryRunResult {
  return { alone, answer: alone, steps: [{ type: "apply" }] };
}

/** The detection functions of all steps, in order. */
export const detections: readonly ((
  candidate: Candidate,
  soFar: DryRunResult,
) => Trial | undefined)[] = Object.values(kinds).map(({ detect }) => detect);

/** Returns the steps for a live object that the API server can't dry-run. */
export function assumedSteps(target: Target): readonly Step[] {
  const before = Object.values(kinds).flatMap(({ assume }) => assume(target) ?? []);
  return [...before.toReversed(), { type: "apply" }];
}

/** Returns the live object at the time of the apply. The steps before it are patches. */
export function patchedBySteps(steps: readonly Step[], { live, ...target }: Target): KubeObject {
  return steps.reduce((object, step) => {
    const execution = executionOf(step, target);
    const patch = execution.by === "patch" ? execution.patch(object) : "done";
    return typeof patch === "string" ? object : patched(object, patch);
  }, live);
}

export function executionOf(step: Step, target: Omit<Target, "live">): Execution {
  return kindOf(step).execution(step, target);
}

export function describeStep(step: Step, words: StepWords): readonly Problem[] {
  return kindOf(step).describe(step, words);
}

/** Returns the steps' part of the digest of a plan. */
export function digestOfSteps(steps: readonly Step[]): JsonObject {
  return Object.fromEntries(steps.flatMap((step) => Object.entries(kindOf(step).digest(step))));
}

/** Returns the step kind for a step. */
function kindOf<S extends Step>(step: S): StepKind<S> {
  return kinds[step.type] as unknown as StepKind<S>;
}
