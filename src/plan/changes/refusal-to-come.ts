import { type ChangedGround, refusalToCome } from "../../admission/changed-grounds.ts";
import { referencesSecret } from "../../model/apply-time-reference.ts";
import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { at, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { awaitedValue } from "../awaited.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import { subjectOf } from "./changed-ground.ts";
import { growthRefusal } from "./changed-growth.ts";
import type { Grounds } from "./no-answer.ts";
import { problemsOfDryRun, showable } from "./problems/dry-run-problems.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Reports whether qvs knows the whole object.
 * False if one of its values comes from a Secret or is known after deploy, or if a preview must not
 * ask about the object.
 */
export function isWholeKnown(desired: DesiredObject, { purpose }: PlanInput["rules"]): boolean {
  const { applyTimeReferences, dryRunSkipped, ignoredSecretFields, previousSecretValues } = desired;
  return (
    awaitedValue(desired, purpose) === undefined &&
    !referencesSecret(applyTimeReferences) &&
    ignoredSecretFields.length + previousSecretValues.length === 0 &&
    (purpose !== "preview" || dryRunSkipped === undefined)
  );
}

/**
 * Returns the API server's message if the changed namespace objects make it reject the object.
 * A new object is judged by all of them. An existing PersistentVolumeClaim is judged by
 * LimitRanges, and a Pod with a changed spec by its Namespace.
 */
function refusalByGrounds(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { steps, predicted }: Verdict,
  changed: () => readonly ChangedGround[],
): string | undefined {
  const subject = subjectOf(desired.object, predicted);
  if (subject === undefined || steps.length === 0) return undefined;
  const grounds = changed();
  const isNew = live === undefined || steps.some(({ type }) => type === "recreate");
  if (isNew || subject.kind !== "Pod") return refusalToCome(grounds, subject);
  if (predicted === undefined || sameJson(at(predicted, "spec"), at(live, "spec")))
    return undefined;
  return refusalToCome(
    grounds.filter(({ after }) => after.kind === "Namespace"),
    subject,
  );
}

/** Returns the verdict on a predicted rejection, in the API server's words. */
export function refusedToCome(
  desired: DesiredObject,
  live: KubeObject | undefined,
  verdict: Verdict,
  { changedGrounds, changedClasses }: Grounds,
): Verdict | undefined {
  const said =
    refusalByGrounds(desired, live, verdict, changedGrounds) ??
    growthRefusal(desired.object, live, verdict, changedClasses);
  if (said === undefined) return undefined;
  const { kind, name } = desired.id;
  const message = `${kind.toLowerCase()}s "${name}" is forbidden: ${said}`;
  const failure: ApiFailure = { reason: "forbidden", status: 403, message, causes: [] };
  const problems = problemsOfDryRun(desired, undefined, failure);
  const { message: reason } = showable(failure, desired);
  return { steps: verdict.steps, certainty: { by: "refused", reason }, problems };
}
