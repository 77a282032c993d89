import type { Answer } from "../../src/model/cluster/api-failure.ts";
import type { KubeObject } from "../../src/model/object.ts";
import type { ChangeAction, Step } from "../../src/model/plan.ts";
import type { Candidate, DryRunResult } from "../../src/ssa/steps/step.ts";
import { answeredAlone, detections } from "../../src/ssa/steps/steps.ts";

/** What a change does that has nothing special about it. */
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

/** What planning makes of an answer to a dry-run; a server that has accepted an object is asked nothing more. */
export function resultOf(
  answer: Answer<KubeObject>,
  object: Pick<Candidate, "deployment" | "stage" | "object">,
  live: KubeObject | undefined,
): DryRunResult {
  const conflicts = { force: false, takeover: [] };
  let result = answeredAlone(answer);
  if (live === undefined || !answer.ok) return result;
  for (const detect of detections) {
    const unknown = { recreated: undefined, recorded: undefined };
    const trial = detect({ ...object, ...unknown, live, conflicts }, result);
    result = trial?.conclude([]) ?? result;
  }
  return result;
}
