import { noUpstreamDeployments } from "../model/deployments/other-deployments.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";
import { skipSecretComparison } from "./changes/skip-secret-comparison.ts";
import { clusterFieldNotices } from "./declared/cluster-fields.ts";
import { completedJobNotices, completedJobTest } from "./declared/completed-jobs.ts";
import { nullNotices } from "./declared/manifest-nulls.ts";
import type { DeclaredObject, DesiredObject } from "./declared/objects.ts";
import { markPreviousSecretValues } from "./declared/previous-secret-values.ts";
import { numberRevisions } from "./declared/revisions.ts";
import { substituteKnownValues } from "./declared/substitute-known-values.ts";
import { chooseStage } from "./only-stage.ts";
import type { LinkableChecks } from "./order/check-edges.ts";
import { linkObjects } from "./order/edges.ts";
import { findForeignObjects, foreignReferenceProblems } from "./ownership/foreign-objects.ts";
import { ignoreChanges } from "./ownership/ignore-changes.ts";
import { keepOrphanedReplicas } from "./ownership/orphaned-pods.ts";
import type { Desired, Observed, PlanRules } from "./plan-input.ts";
import { type RecordRestrictions, restrictRecord } from "./record-restrictions.ts";
import { linkToUpstream } from "./upstream-deployments.ts";

/**
 * Computes the exact desired objects, in view of the live ones.
 * The result has everything that must be known before qvs asks the API server about the objects.
 */
export function computeDesired(
  declared: readonly DeclaredObject[],
  { live, history, orphanedReplicas }: Pick<Observed, "live" | "history" | "orphanedReplicas">,
  rules: PlanRules,
): Result<Desired> {
  const { deployment, purpose } = rules;
  const numbered = numberRevisions(declared, live, history.revisions);
  if (!numbered.ok) return numbered;
  const ignored = ignoreChanges(rules, numbered.value, live);
  if (!ignored.ok) return ignored;
  const kept = keepOrphanedReplicas(rules, ignored.value, live, orphanedReplicas ?? new Map());
  if (!kept.ok) return kept;
  const { objects: prepared, notices } = kept.value;
  const foreign = findForeignObjects(prepared, live, rules, history.lastDeclared);
  const readable = { foreign, secretPlaces: history.secretPlaces, purpose, deployment };
  const resolved = substituteKnownValues(prepared, live, readable);
  const unreadable = foreignReferenceProblems(resolved, foreign);
  if (unreadable.length > 0) return failed(unreadable);
  const marked = markPreviousSecretValues(
    resolved,
    live,
    history,
    rules.keepAllReason === undefined,
  );
  const all = skipSecretComparison(deployment, marked, live, foreign);
  const linked = linkObjects(all, (key) => live.has(key), linkableChecks(rules));
  if (!linked.ok) return linked;
  const { graph: edges, missing } = linked.value;
  const chosen = chooseStage(rules.onlyStage, { deployment, objects: all }, edges, live);
  if (!chosen.ok) return chosen;
  const restrictions = rules.recorded
    ? restrictRecord(chosen.value.objects, live, rules)
    : undefined;
  const isDone = completedJobTest(declared, { live, history }, rules);
  const isPlanned = (object: DesiredObject) =>
    (rules.onlyKeys?.has(object.key) ?? true) &&
    restrictions?.unplanned.has(object.key) !== true &&
    !isDone(object);
  const planned = chosen.value.objects.filter(isPlanned);
  const objects = restrictions === undefined ? planned : planned.map(skipDryRuns(restrictions));
  return ok({
    ...chosen.value,
    objects,
    byKey: new Map(objects.map((object) => [object.key, object])),
    untouched: chosen.value.objects.filter((object) => !isPlanned(object)),
    edges,
    upstreamEdges: linkToUpstream(all, rules.upstream ?? noUpstreamDeployments),
    foreign,
    refused: [...missing, ...(restrictions?.problems ?? [])],
    notices: [
      ...clusterFieldNotices(declared),
      ...nullNotices(declared),
      ...notices,
      ...completedJobNotices(chosen.value.objects.filter(isDone)),
    ],
  });
}

/**
 * Returns the checks that objects can wait for. Corrections, deletions and environments run none.
 */
function linkableChecks(rules: PlanRules): LinkableChecks {
  const { namespace, checks, corrects, deletes, onlyNamespace } = rules;
  const runsChecks = corrects !== true && deletes !== true && onlyNamespace === undefined;
  return { namespace, checks: runsChecks ? (checks ?? []) : undefined };
}

function skipDryRuns({ absent }: RecordRestrictions): (object: DesiredObject) => DesiredObject {
  const dryRunSkipped = "qvs sends no dry run for a recorded object outside its namespace";
  return (object) => (absent.has(object.key) ? { ...object, dryRunSkipped } : object);
}
