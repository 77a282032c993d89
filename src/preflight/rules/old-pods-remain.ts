import { at, numberAt, sameJson } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { replacesNoPods } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports changed templates that no running Pod gets.
 * The controller creates Pods from the template only if some are missing, so the deployment is
 * ready with the old Pods (https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/).
 */
export function oldPodsRemain({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(keepsRunningPods).map((change) =>
    changeFinding(change, placeOf, {
      code: "old-pods-remain",
      severity: "warning",
      what: `${nameOf(change.id)}: its running Pods keep the old template`,
      why: `A ${change.id.kind} doesn't replace Pods: only Pods that it creates later get the new template. The deployment doesn't wait for new Pods`,
      fix: "Delete its Pods one by one after the deployment, or declare a Deployment, which replaces them",
      path: ["spec", "template"],
    }),
  );
}

function keepsRunningPods({ action, desired, live, predicted, redacted }: Change): boolean {
  if (action !== "update" || predicted === undefined || redacted !== undefined) return false;
  const hasPods = numberAt(live, "spec", "replicas") !== 0;
  const isSame = sameJson(at(live, "spec", "template"), at(predicted, "spec", "template"));
  return replacesNoPods(desired) && hasPods && !isSame;
}
