import type { ApiResult } from "../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { ChangeAction, Step } from "../../../src/model/plan/plan.ts";
import type { DryRunResult, StepCandidate } from "../../../src/ssa/steps/step.ts";
import { detections, plainResult } from "../../../src/ssa/steps/steps.ts";

/** Returns the steps of an ordinary change. */
export function stepsOf(action: ChangeAction): readonly Step[] {
  switch (action) {
    case "create":
    case "update":
      return [{ type: "apply" }];
    case "replace":
      return [{ type: "recreate", fields: [] }, { type: "apply" }];
    case "unchanged":
      return [];
  }
}

/** Returns the plan's result for the answer to a dry run. No detection sends further requests. */
export function resultOf(
  answer: ApiResult<KubeObject>,
  object: Pick<StepCandidate, "deployment" | "stage" | "object">,
  live: KubeObject | undefined,
): DryRunResult {
  const conflicts = { force: false, takeover: [] };
  let result = plainResult(answer);
  if (live === undefined || !answer.ok) return result;
  for (const detect of detections) {
    const unknown = { recreated: undefined, recorded: undefined };
    const trial = detect({ ...object, ...unknown, live, conflicts }, result);
    result = trial?.conclude([]) ?? result;
  }
  return result;
}
