import { dependsOnAnnotation } from "../../model/annotations.ts";
import type { Deletion } from "../../model/deletion.ts";
import { textAt } from "../../model/json.ts";
import { addressOf, groupOf, nameOf, nameOfKey } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { type Awaited, awaitedAsTheyAre } from "../awaited.ts";
import type { ClusterFacts, Unready } from "../facts.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Reports objects that aren't ready now and that the deployment doesn't fix.
 * The deployment fails unless they become ready before its timeout.
 */
export function notReady(input: PreflightInput): readonly Finding[] {
  const { plan, facts } = input;
  const earlier = new Map(facts.earlier.map((change) => [change.key, change]));
  const awaited = awaitedAsTheyAre(plan, earlier).flatMap((each) => {
    const found = isRefused(each) ? undefined : facts.unready.get(each.key);
    return found === undefined ? [] : [findingOf(each, found, input)];
  });
  return [...awaited, ...plan.deletions.flatMap((each) => heldBack(each, facts))];
}

/** Reports a deletion that an earlier run requested and that finalizers delay. */
function heldBack({ key, live }: Deletion, { unready }: ClusterFacts): readonly Finding[] {
  const found = unready.get(key);
  if (found === undefined) return [];
  const object = addressOf(live);
  return [
    {
      code: "not-ready",
      severity: "warning",
      object,
      what: `${nameOf(object)} is being deleted already, and this deployment waits until it no longer exists`,
      why: `terminating since ${found.since}: ${found.why}`,
      fix: "Check that the controller of each finalizer runs and can do its work; if it no longer exists, remove its finalizer",
      where: [],
    },
  ];
}

/** Reports whether a declared object is being deleted. Such an object has an error of its own. */
function isRefused({ live, isOutside }: Awaited): boolean {
  return !isOutside && textAt(live, "metadata", "deletionTimestamp") !== undefined;
}

function findingOf(awaited: Awaited, found: Unready, { plan, placeOf }: PreflightInput): Finding {
  const { live, key, isOutside } = awaited;
  const since = found.since === undefined ? [] : [`since ${found.since}`];
  return {
    code: "not-ready",
    severity: severityOf(awaited, found),
    object: addressOf(live),
    what: `${nameOf(addressOf(live))} ${fate(awaited, found)}`,
    why: [found.why, ...since, ...whatMayHelp(awaited)].join("; "),
    fix: cureOf(awaited, found),
    where: declaredAt({ where: placeOf(isOutside ? whoNeeds(key, plan) : key) }),
  };
}

/**
 * Returns the severity.
 * A change to one of its dependencies might make the object ready, so it is a note.
 */
function severityOf({ mayHelp }: Awaited, { state }: Unready): Severity {
  if (state === "failed") return "error";
  return mayHelp.length > 0 ? "note" : "warning";
}

function fate({ mayHelp }: Awaited, { state }: Unready): string {
  if (state === "failed") return "has failed, and so will this deployment, which waits for it";
  const only = mayHelp.length > 0 ? "" : "only ";
  return `isn't ready now, and this deployment ${only}waits for it`;
}

function whatMayHelp({ mayHelp: [first, ...others] }: Awaited): readonly string[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return [`${nameOfKey(first)}${more} changes, which it depends on`];
}

function cureOf({ live, isOutside }: Awaited, { state }: Unready): string {
  if (isOutside) {
    return `Have it put right first, or correct the annotation ${dependsOnAnnotation} of what waits for it`;
  }
  if (state === "waiting") return "Find out why: the deployment fails unless it gets ready in time";
  return isMadeAgain(groupOf(live.apiVersion), live.kind)
    ? "Find out why, then delete it, so that this deployment makes it again, or change it"
    : "Find out why, and put it right here or in the cluster before you deploy";
}

/** Reports whether the kind runs only once, so that the object must be created again. */
function isMadeAgain(group: string, kind: string): boolean {
  return (group === "batch" && kind === "Job") || (group === "" && kind === "Pod");
}

/**
 * Returns the key of the change that waits for an object outside this deployment.
 * The plan contains such an object only as the value of an annotation.
 */
function whoNeeds(key: string, { changes }: Plan): string {
  return changes.find(({ after }) => after.some(({ on }) => on === key))?.key ?? "";
}
