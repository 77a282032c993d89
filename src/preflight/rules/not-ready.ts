import { dependsOnAnnotation } from "../../model/annotations.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import { textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { addressOf, idOf, nameFromKey, nameOf, type ObjectId } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { type AwaitedUnchanged, awaitedUnchanged } from "../awaited-unchanged.ts";
import type { ClusterFacts, UnreadyObject } from "../cluster-facts.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

/**
 * Reports objects that aren't ready now and that the deployment doesn't fix.
 * The deployment fails unless they become ready before its timeout.
 */
export function notReady(input: PreflightInput): readonly Finding[] {
  const { plan, facts } = input;
  const upstream = new Map(facts.upstreamChanges.map((change) => [change.key, change]));
  const awaited = awaitedUnchanged(plan, upstream).flatMap((each) => {
    const found = isDeclaredTerminating(each) ? undefined : facts.unready.get(each.key);
    return found === undefined ? [] : [notReadyFinding(each, found, input)];
  });
  return [...awaited, ...plan.deletions.flatMap((each) => delayedDeletion(each, facts))];
}

/** Reports a deletion that an earlier run requested and that finalizers delay. */
function delayedDeletion({ key, live }: Deletion, { unready }: ClusterFacts): readonly Finding[] {
  const found = unready.get(key);
  if (found === undefined) return [];
  return [
    findingWithoutPlace(live, {
      code: "not-ready",
      severity: "warning",
      what: `${nameOf(idOf(live))} is already being deleted, and this deployment waits for it`,
      why: `Terminating since ${found.since}: ${found.why}. This deployment waits until it no longer exists`,
      fix: "Make sure that the controller of each finalizer runs and can do its work, or remove the finalizer if its controller no longer exists",
    }),
  ];
}

/** Reports whether a declared object is being deleted. Such an object has an error of its own. */
function isDeclaredTerminating({ live, isOutside }: AwaitedUnchanged): boolean {
  return !isOutside && textAt(live, "metadata", "deletionTimestamp") !== undefined;
}

function notReadyFinding(
  awaited: AwaitedUnchanged,
  found: UnreadyObject,
  { plan, placeOf }: PreflightInput,
): Finding {
  const { live, key, isOutside } = awaited;
  const since = found.since === undefined ? "" : `, since ${found.since}`;
  return {
    code: "not-ready",
    severity: notReadySeverity(awaited, found),
    object: addressOf(live),
    what: `${nameOf(addressOf(live))} ${effectText(awaited, found)}`,
    why: [`${found.why}${since}`, ...describeChangingDependencies(awaited)].join(". "),
    fix: notReadyFix(awaited, found),
    where: declarationPlaces({ where: placeOf(isOutside ? dependentKey(key, plan) : key) }),
  };
}

/**
 * Returns the severity.
 * A change to one of its dependencies might make the object ready, so it is a note.
 */
function notReadySeverity(
  { changingDependencies }: AwaitedUnchanged,
  { state }: UnreadyObject,
): Severity {
  if (state === "failed") return "error";
  return changingDependencies.length > 0 ? "note" : "warning";
}

function effectText({ changingDependencies }: AwaitedUnchanged, { state }: UnreadyObject): string {
  if (state === "failed") return "has failed, and this deployment would fail with it";
  const only = changingDependencies.length > 0 ? "" : "only ";
  return `isn't ready now, and this deployment ${only}waits for it`;
}

function describeChangingDependencies({
  changingDependencies: [first, ...others],
}: AwaitedUnchanged): readonly string[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return [`It depends on ${nameFromKey(first)}${more}, which this deployment changes`];
}

function notReadyFix({ live, isOutside }: AwaitedUnchanged, { state }: UnreadyObject): string {
  if (isOutside) {
    return `Make it ready first, or correct the annotation ${dependsOnAnnotation} of the object that waits for it`;
  }
  if (state === "waiting") {
    return "Find out why it isn't ready: the deployment fails unless it becomes ready in time";
  }
  return runsOnce(idOf(live))
    ? "Find out why it failed, then change it, or delete it so that this deployment creates it again"
    : "Find out why it failed, and fix it in the manifest or in the cluster before you deploy";
}

/** Reports whether the kind runs only once, so that the object must be created again. */
function runsOnce(id: ObjectId): boolean {
  return isJob(id) || kindKey(id) === "/Pod";
}

/**
 * Returns the key of the change that waits for an object outside this deployment.
 * The plan contains such an object only as the value of an annotation.
 */
function dependentKey(key: string, { changes }: Plan): string {
  return changes.find(({ after }) => after.some(({ on }) => on === key))?.key ?? "";
}
