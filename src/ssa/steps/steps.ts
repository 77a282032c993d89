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
 * Every step there is, in the order in which they are looked for. It begins with what is done last: each goes before those that
 * were found so far, or takes their place.
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

/** What is known of an object when the server has answered to it as it is, before any step was tried. */
export function answeredAlone(alone: DryRunResult["alone"]): DryRunResult {
  return { alone, answer: alone, steps: [{ type: "apply" }] };
}

/** One after the other these tell how to find out whether a live object needs a step. */
export const detections: readonly ((
  candidate: Candidate,
  soFar: DryRunResult,
) => Trial | undefined)[] = Object.values(kinds).map(({ detect }) => detect);

/** What is done about a live object that the server can't be asked about. */
export function assumedSteps(target: Target): readonly Step[] {
  const before = Object.values(kinds).flatMap(({ assume }) => assume(target) ?? []);
  return [...before.toReversed(), { type: "apply" }];
}

/** The live object as it is when it is applied: what comes before that is done by patches. */
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

/** What of the steps counts in the digest of a plan. */
export function digestOfSteps(steps: readonly Step[]): JsonObject {
  return Object.fromEntries(steps.flatMap((step) => Object.entries(kindOf(step).digest(step))));
}

/** The row of the table for this very step. */
function kindOf<S extends Step>(step: S): StepKind<S> {
  return kinds[step.type] as unknown as StepKind<S>;
}
