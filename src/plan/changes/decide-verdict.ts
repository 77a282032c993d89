import { isFailedJob, isFinishedJob } from "../../model/cluster/jobs.ts";
import { noUpstreamDeployments } from "../../model/deployments/other-deployments.ts";
import { isNamespacePolicy, isStorageClass } from "../../model/governors.ts";
import { textAt } from "../../model/json.ts";
import { type KubeObject, nameFromKey } from "../../model/object.ts";
import { hookEventPath } from "../../model/plan/deletion.ts";
import {
  type NamespacePolicyChange,
  namespacePolicyChanges,
} from "../../validation/admission/changed-namespace-policies.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { pendingPrerequisite, pendingValue } from "../dry-runs.ts";
import type { PlanInput } from "../plan-input.ts";
import { changeActor, deletionActor } from "../upstream-deployments.ts";
import { uncheckChangedDefaults } from "./changed-defaults.ts";
import { isProvenUnchanged } from "./compare-with-live.ts";
import { decideByCrd, decideUnchanged, isIndependentOfCrd } from "./crds/decide-by-crd.ts";
import { addOwnerMigration, findPendingCrd, type PendingCrds } from "./crds/pending-crds.ts";
import { decideByDryRun, decideByTrial } from "./decide-by-dry-run.ts";
import {
  onlyApply,
  pendingValueSteps,
  predictResult,
  stepsWithoutDryRun,
} from "./dry-run-skipped.ts";
import type { PolicyChanges } from "./inconclusive-rejection.ts";
import {
  awaitedPolicies,
  type IsNamespacePolicy,
  upstreamPolicyChanges,
} from "./namespace-policy-changes.ts";
import { isFullyKnown, ownerConflictVerdict, predictRejection } from "./predicted-rejection.ts";
import { type ChangeVerdict, unchangedVerdict, unchecked } from "./verdict.ts";

/**
 * Judges an object by the live object, the API server's answer, or the definition that will check
 * it.
 */
export function decideVerdict(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  pendingCrds: PendingCrds,
): ChangeVerdict {
  const verdict = withMigratedOwners(
    decideByAnswers(desired, live, input, pendingCrds),
    desired,
    live,
    input,
    pendingCrds,
  );
  if (verdict.problems !== undefined || !isFullyKnown(desired, input.rules)) return verdict;
  return (
    predictRejection(
      desired,
      live,
      verdict,
      policyChanges(desired, input),
      input.observed.server,
    ) ??
    uncheckChangedDefaults(desired, live, verdict, input, (each) =>
      decideVerdict(each, input.observed.live.get(each.key), input, new Map()),
    )
  );
}

/**
 * Adds the migration of field owners if the definition changes first.
 * No answer can then show which records must be rewritten.
 */
function withMigratedOwners(
  verdict: ChangeVerdict,
  { key, id, object }: DesiredObject,
  live: KubeObject | undefined,
  { desired }: PlanInput,
  definitions: PendingCrds,
): ChangeVerdict {
  const definition = findPendingCrd({ key, id }, desired, definitions);
  const isNamesake = desired.foreign.get(key)?.nameCollides === true;
  if (live === undefined || definition === undefined || isNamesake) return verdict;
  if (verdict.steps.length === 0) return verdict;
  return { ...verdict, steps: addOwnerMigration(verdict.steps, object, live, definition) };
}

function decideByAnswers(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  definitions: PendingCrds,
): ChangeVerdict {
  const { deployment, policy } = input.rules;
  const { takeover } = policy.conflicts;
  if (desired.hook !== undefined && mustRepeat(live, desired.object)) return repeatedHook;
  const crd = findPendingCrd(desired, input.desired, definitions);
  const isCompared = live !== undefined && canCompare(desired, input);
  if (isCompared && isProvenUnchanged(deployment, desired, live, takeover)) {
    return crd === undefined ? unchangedVerdict : decideUnchanged(desired, live, crd, input);
  }
  const withoutDryRun = decideWithoutDryRun(desired, live, input);
  if (withoutDryRun !== undefined) return withoutDryRun;
  const dryRun = input.observed.dryRuns.get(desired.key);
  if (crd !== undefined && !isIndependentOfCrd(dryRun)) {
    return decideByCrd(desired, live, crd, dryRun, input);
  }
  if (dryRun === undefined) return decideUnanswered(desired, input);
  return decideByDryRun(desired, live, dryRun, input, {
    ...policyChanges(desired, input),
    isWritten: (object) => isWritten(object, input),
  });
}

/**
 * Reports whether a hook runs although a Job of its name has ended: that one failed, or it ran for
 * an earlier release.
 */
function mustRepeat(live: KubeObject | undefined, hook: KubeObject): boolean {
  if (live === undefined || !isFinishedJob(live)) return false;
  return isFailedJob(live) || textAt(live, ...hookEventPath) !== textAt(hook, ...hookEventPath);
}

/** A hook that runs again. Its manifest can be unchanged, so no field forces that. */
const repeatedHook: ChangeVerdict = {
  steps: [{ type: "recreate", fields: [] }, { type: "apply" }],
  certainty: { by: "comparison" },
};

/**
 * Reports whether the plan can compare the object with the live one.
 * A preview must not confirm a guess of a Secret's value, or of a value outside this deployment.
 */
function canCompare(
  { key, dryRunSkipped, replacesSecret }: DesiredObject,
  { rules: { purpose }, desired: { foreign } }: PlanInput,
): boolean {
  return (
    purpose !== "preview" || dryRunSkipped === undefined || !(foreign.has(key) || replacesSecret)
  );
}

/**
 * Judges an object that qvs must not dry-run, or can't dry-run yet; undefined for other objects.
 */
function decideWithoutDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): ChangeVerdict | undefined {
  const { purpose } = input.rules;
  const { dryRunSkipped } = desired;
  if (dryRunSkipped !== undefined && live === undefined) {
    return { steps: onlyApply, certainty: unchecked(dryRunSkipped) };
  }
  if (dryRunSkipped !== undefined && purpose === "preview") {
    return { steps: stepsWithoutDryRun(desired, live, input), certainty: unchecked(dryRunSkipped) };
  }
  const awaited = pendingValue(desired, purpose);
  if (awaited === undefined) return undefined;
  const reason = `depends on a value of ${nameFromKey(awaited)} that is known after deploy`;
  const { steps, conflicts } = pendingValueSteps(desired, live, input);
  if (conflicts !== undefined) return ownerConflictVerdict(desired, live, conflicts, input);
  return { steps, certainty: unchecked(reason), ...predictResult(desired, live, input, { steps }) };
}

/** Judges an object without a dry run in its own namespace. */
function decideUnanswered(desired: DesiredObject, input: PlanInput): ChangeVerdict {
  const { upstream } = input.rules;
  const deleted = deletionActor(desired.key, upstream);
  if (deleted !== undefined) {
    return { steps: onlyApply, certainty: unchecked(`the live object is deleted ${deleted}`) };
  }
  const prerequisite = pendingPrerequisite(desired, input.desired, input.observed.live, upstream);
  if (prerequisite === undefined) return { steps: onlyApply, certainty: { by: "comparison" } };
  const reason = `${nameFromKey(prerequisite)} is created ${changeActor(prerequisite, upstream)}`;
  const tried = input.observed.tried?.get(desired.key);
  if (tried === undefined) return { steps: onlyApply, certainty: unchecked(reason) };
  return decideByTrial(desired, tried, reason, input);
}

function policyChanges(desired: DesiredObject, input: PlanInput): PolicyChanges {
  return {
    changedPolicies: () => findPolicyChanges(desired, input, isNamespacePolicy),
    changedClasses: () => findPolicyChanges(desired, input, isStorageClass),
  };
}

/**
 * Lists the objects by which the API server judges this one, and that this or an upstream
 * deployment changes.
 * Each entry has the present and the future object.
 */
function findPolicyChanges(
  desired: DesiredObject,
  input: PlanInput,
  isOfKind: IsNamespacePolicy,
): readonly NamespacePolicyChange[] {
  const { upstream = noUpstreamDeployments } = input.rules;
  const before = awaitedPolicies(desired, input.desired, isOfKind);
  const own = before.flatMap((ground): readonly NamespacePolicyChange[] => {
    const live = input.observed.live.get(ground.key);
    if (live === undefined) return namespacePolicyChanges(live, ground.object, undefined);
    const { steps, predicted } = decideVerdict(ground, live, input, new Map());
    return steps.length === 0 ? [] : namespacePolicyChanges(live, ground.object, predicted);
  });
  return [...upstreamPolicyChanges(desired, input.desired, upstream, isOfKind), ...own];
}

function isWritten(object: DesiredObject, input: PlanInput): boolean {
  return (
    decideVerdict(object, input.observed.live.get(object.key), input, new Map()).steps.length > 0
  );
}
