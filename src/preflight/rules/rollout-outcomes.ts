import { podSpecOf } from "../../model/cluster/pods.ts";
import type { UpstreamChange } from "../../model/deployments/other-deployments.ts";
import { at, isList, isObject, type Json, numberAt, sameJson, textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { asPlanned } from "../planned-pods.ts";
import { createClusterSnapshot, withPlannedObjects } from "../rollouts/cluster-snapshot.ts";
import { judgeRollouts, type RolloutVerdict } from "../rollouts/judge-rollouts.ts";
import { type MissingFacts, missingFacts } from "../rollouts/missing-facts.ts";
import {
  chanceFinding,
  deadlockFinding,
  evictionFindings,
  neverFitsFinding,
  outrunFinding,
  slownessFindings,
} from "../rollouts/rollout-findings.ts";
import { externalPlacement } from "../rollouts/standstill.ts";
import { rolledOutWorkloads, type Workload } from "../rollouts/workload.ts";
import { findingSubject } from "../rollouts/workload-finding.ts";
import type { PreflightInput } from "../rule.ts";
import { invalidRolloutKeys } from "./invalid-rollout.ts";
import { rejectedKeys } from "./rejected-pods.ts";

/** Reports rollouts that can't complete on the existing nodes, or that have side effects. */
export function rolloutOutcomes(input: PreflightInput): readonly Finding[] {
  const { plan, facts } = input;
  const skipped = new Set([...rejectedKeys(input), ...invalidRolloutKeys(plan)]);
  const workloads = rolledOutWorkloads(plan).filter(({ change }) => !skipped.has(change.key));
  if (workloads.length === 0) return [];
  const planned = withPlannedObjects(facts, plan);
  const explained = workloads.map((workload) => ({
    workload,
    ...unknownReason(workload, planned),
  }));
  const judged = judgeRollouts(
    explained.flatMap(({ workload, why }) => (why === undefined ? [workload] : [])),
    plan,
    createClusterSnapshot(planned, plan),
  );
  const upstream = upstreamPodChange(facts);
  return [
    ...explained.flatMap(({ workload, why, fix }) =>
      why === undefined ? [] : [unknownFinding(workload, why, input, fix)],
    ),
    ...judged.flatMap(({ workload, verdict }) => {
      const found = verdictFindings(workload, verdict, input);
      return upstream === undefined ? found : lowerSeverity(workload, found, upstream, input);
    }),
  ];
}

/**
 * Lowers the severity of findings if an earlier deployment takes or frees resources.
 * Results from the current Pods are then uncertain.
 */
function lowerSeverity(
  workload: Workload,
  found: readonly Finding[],
  upstream: string,
  input: PreflightInput,
): readonly Finding[] {
  const moved = `The deployment ${upstream} is deployed first and changes the Pods on the nodes`;
  if (found.length === 0) return [unknownFinding(workload, moved, input)];
  return found.map((each) =>
    each.severity === "error"
      ? { ...each, severity: "warning", why: `${each.why}. ${moved}` }
      : each,
  );
}

function unknownReason(workload: Workload, facts: ClusterFacts): Partial<MissingFacts> {
  const missing = missingFacts(workload, facts);
  if (missing !== undefined) return missing;
  const why = unpredictableReason(workload);
  return why === undefined ? {} : { why };
}

/** Returns a reason outside the cluster's objects that decides where the Pods run. */
function unpredictableReason({ spec, kind }: Workload): string | undefined {
  const ref = kind === "Rollout" ? at(spec, "workloadRef") : undefined;
  if (ref !== undefined && !isObject(spec.template)) {
    return "Its template belongs to an object outside this deployment (workloadRef)";
  }
  if (ref !== undefined && (textAt(ref, "scaleDown") ?? "never") !== "never") {
    return "The object that it gets its template from is scaled down during the rollout (workloadRef.scaleDown)";
  }
  return externalPlacement(at(spec, "template", "spec"));
}

function verdictFindings(
  workload: Workload,
  verdict: RolloutVerdict,
  input: PreflightInput,
): readonly Finding[] {
  switch (verdict.type) {
    case "completes":
      return [
        ...evictionFindings(workload, verdict, input),
        ...slownessFindings(workload, verdict, input),
      ];
    case "deadlock":
      return [deadlockFinding(workload, verdict, input)];
    case "chance":
      return [chanceFinding(workload, verdict, input)];
    case "outrun":
      return [outrunFinding(workload, verdict, input)];
    case "never":
      return [neverFitsFinding(workload, verdict, input)];
  }
}

function unknownFinding(workload: Workload, why: string, input: PreflightInput, fix = ""): Finding {
  return {
    ...findingSubject(workload, input),
    code: "rollout-unknown",
    severity: "note",
    what: `${nameOf(workload.change.id)}: qvs can't predict whether its rollout completes`,
    why,
    fix,
  };
}

/**
 * Returns the earlier deployment that changes which Pods exist or their requests; undefined if
 * there is none.
 * Free space on nodes and in quotas will be different by then, and qvs hasn't computed it. Other
 * images and settings of the same Pods don't matter.
 */
function upstreamPodChange({
  upstreamChanges,
  upstreamDeletions,
}: Pick<ClusterFacts, "upstreamChanges" | "upstreamDeletions">): string | undefined {
  const deleted = upstreamDeletions.find(({ live }) => podSpecOf(live) !== undefined);
  return upstreamChanges.find(changesPlacement)?.deployment ?? deleted?.deployment;
}

function changesPlacement(change: UpstreamChange): boolean {
  const planned = asPlanned(change);
  const after = podSpecOf(planned)?.spec;
  if (after === undefined) return false;
  const before = change.live === undefined ? undefined : podSpecOf(change.live)?.spec;
  if (before === undefined) return numberAt(planned, "spec", "replicas") !== 0;
  const replicas = at(planned, "spec", "replicas");
  const hasOthers = !sameJson(replicas, at(change.live, "spec", "replicas"));
  return hasOthers || !sameJson(placementFields(after), placementFields(before));
}

const fieldsWithoutPlacement: ReadonlySet<string> = new Set([
  "image",
  "env",
  "envFrom",
  "command",
  "args",
]);

/** Removes the fields that no scheduler reads. */
function placementFields(value: Json): Json {
  if (isList(value)) return value.map(placementFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => !fieldsWithoutPlacement.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, placementFields(inner)]));
}
