import { waitAnnotation } from "../../model/annotations.ts";
import { hasStatus } from "../../model/kinds.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/** Reports changed objects whose readiness the deployment doesn't wait for. */
export function notAwaited({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(skipsWait).map((change) =>
    changeFinding(change, placeOf, {
      code: "not-awaited",
      severity: "note",
      what: `${nameOf(change.id)}: the deployment doesn't wait until it is ready`,
      why: `Its annotation ${waitAnnotation} is "false". The objects that depend on it, and the deletions, follow as soon as it is written`,
      fix: "Remove the annotation if they need it to be ready",
      path: ["metadata", "annotations", waitAnnotation],
    }),
  );
}

/** Reports whether a change could have to wait. Objects without a status are always ready. */
function skipsWait({ id, action, desired }: Change): boolean {
  return action !== "unchanged" && hasStatus(id) && !readWaitPolicy(desired).isAwaited;
}
