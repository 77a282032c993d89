import { at, isObject, textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { ClusterFacts } from "../facts.ts";
import { whoMovesPods } from "../moved-pods.ts";
import { about } from "../rollouts/about-workload.ts";
import { clusterState, withPlanned } from "../rollouts/cluster-state.ts";
import { evictions, slowness } from "../rollouts/costs.ts";
import { judgeRollouts, type Verdict } from "../rollouts/judge.ts";
import { type Missing, missingFacts } from "../rollouts/missing-facts.ts";
import { placedByOthers } from "../rollouts/place-words.ts";
import { chance, deadlock, neverFits, outrun } from "../rollouts/stuck.ts";
import { type Workload, workloadsOf } from "../rollouts/workload.ts";
import type { PreflightInput } from "../rule.ts";
import { invalidKeys } from "./invalid-rollout.ts";
import { refusedKeys } from "./refused-pods.ts";

/** Reports rollouts that can't complete on the existing nodes, or that have side effects. */
export function rollouts(input: PreflightInput): readonly Finding[] {
  const { plan, facts } = input;
  const refused = new Set([...refusedKeys(input), ...invalidKeys(plan)]);
  const workloads = workloadsOf(plan).filter(({ change }) => !refused.has(change.key));
  if (workloads.length === 0) return [];
  const planned = withPlanned(facts, plan);
  const told = workloads.map((workload) => ({ workload, ...whyUnknown(workload, planned) }));
  const judged = judgeRollouts(
    told.flatMap(({ workload, why }) => (why === undefined ? [workload] : [])),
    plan,
    clusterState(planned, plan),
  );
  const mover = whoMovesPods(facts);
  return [
    ...told.flatMap(({ workload, why, fix }) =>
      why === undefined ? [] : [unknown(workload, why, input, fix)],
    ),
    ...judged.flatMap(({ workload, verdict }) => {
      const found = findingsOf(workload, verdict, input);
      return mover === undefined ? found : onMovedPods(workload, found, mover, input);
    }),
  ];
}

/**
 * Lowers the severity of findings if an earlier deployment takes or frees resources.
 * Results from the current Pods are then uncertain.
 */
function onMovedPods(
  workload: Workload,
  found: readonly Finding[],
  mover: string,
  input: PreflightInput,
): readonly Finding[] {
  const moved = `the deployment ${mover}, which goes first, changes what runs on the nodes`;
  if (found.length === 0) return [unknown(workload, moved, input)];
  return found.map((each) =>
    each.severity === "error"
      ? { ...each, severity: "warning", why: `${each.why}; ${moved}` }
      : each,
  );
}

function whyUnknown(workload: Workload, facts: ClusterFacts): Partial<Missing> {
  const missing = missingFacts(workload, facts);
  if (missing !== undefined) return missing;
  const why = incomputable(workload);
  return why === undefined ? {} : { why };
}

/** Returns a reason outside the cluster's objects that decides where the Pods run. */
function incomputable({ spec, kind }: Workload): string | undefined {
  const ref = kind === "Rollout" ? at(spec, "workloadRef") : undefined;
  if (ref !== undefined && !isObject(spec.template)) {
    return "its template is that of an object that this deployment does not have (workloadRef)";
  }
  if (ref !== undefined && (textAt(ref, "scaleDown") ?? "never") !== "never") {
    return "the object that it takes its template from is scaled down meanwhile (workloadRef.scaleDown)";
  }
  return placedByOthers(at(spec, "template", "spec"));
}

function findingsOf(
  workload: Workload,
  verdict: Verdict,
  input: PreflightInput,
): readonly Finding[] {
  switch (verdict.type) {
    case "completes":
      return [...evictions(workload, verdict, input), ...slowness(workload, verdict, input)];
    case "deadlock":
      return [deadlock(workload, verdict, input)];
    case "chance":
      return [chance(workload, verdict, input)];
    case "outrun":
      return [outrun(workload, verdict, input)];
    case "never":
      return [neverFits(workload, verdict, input)];
  }
}

function unknown(workload: Workload, why: string, input: PreflightInput, fix = ""): Finding {
  return {
    ...about(workload, input),
    code: "rollout-unknown",
    severity: "note",
    what: `${nameOf(workload.change.id)}: whether its rollout can complete is not known`,
    why,
    fix,
  };
}
