import { type ApiFailure, isMissingPermission } from "../../model/cluster/api/api-failure.ts";
import {
  isDeniedByAdmission,
  isDryRunUnsupported,
  isLimitRangeDenial,
} from "../../model/cluster/api/messages/denials.ts";
import { withoutSubject } from "../../model/cluster/api/messages/invalid-fields.ts";
import { listAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { showableFailure } from "../../plan/changes/problems/dry-run-problems.ts";
import type { AdmissionSubject } from "../../validation/admission/admission-subject.ts";
import {
  liftingPolicy,
  type NamespacePolicyChange,
  predictedRejection,
} from "../../validation/admission/changed-namespace-policies.ts";
import { knownValues, type SampleClaim } from "../cluster-facts.ts";
import { asPlanned, isAlreadyReported } from "../planned-pods.ts";
import { statefulSetClaims } from "../rollouts/claim-rules.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { plannedNamespacePolicies } from "../rollouts/planned-admission.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports claim templates from which no claim can be created.
 * The API server checks a claim only when a controller creates it.
 * It rejects a claim that lacks `accessModes` or exceeds the limits of the namespace, and then the
 * Pod is never created.
 */
export function rejectedClaims({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const policyChanges = plannedNamespacePolicies(plan, facts);
  const present = knownValues(facts.claims);
  return plan.changes.flatMap((change): readonly Finding[] => {
    const samples = facts.sampleClaims.get(change.key) ?? [];
    if (samples.length === 0 || !createsClaims(change, present)) return [];
    const changes = policyChanges(change.id.namespace);
    const [rejected] = samples.flatMap((sample) => findRejection(sample, changes) ?? []);
    if (rejected === undefined || isAlreadyReported(change, rejected.failure)) return [];
    const { failure, severity, fix } = rejected;
    const would = severity === "error" ? "would" : "might";
    return [
      changeFinding(change, placeOf, {
        code: "never-fits",
        severity: awaitsPodsOnNodes(change, facts) ? severity : "warning",
        what: `${nameOf(change.id)}: the API server ${would} reject the claims of its Pods`,
        why: withoutSubject(showableFailure(failure, { ...change, object: change.desired })),
        fix,
      }),
    ];
  });
}

/**
 * Reports whether the StatefulSet creates any claim.
 * If all its claims exist, its Pods use them.
 */
function createsClaims(change: Change, present: Parameters<typeof statefulSetClaims>[1]): boolean {
  const hasTemplates = listAt(asPlanned(change), "spec", "volumeClaimTemplates").length > 0;
  return !hasTemplates || statefulSetClaims(change, present).made.length > 0;
}

interface RejectedClaim {
  readonly failure: ApiFailure;
  readonly severity: Severity;
  readonly fix: string;
}

function findRejection(
  { claim, answer }: SampleClaim,
  changes: readonly NamespacePolicyChange[],
): RejectedClaim | undefined {
  const subject: AdmissionSubject = { kind: "PersistentVolumeClaim", claim };
  if (!answer.ok && liftingPolicy(answer.failure, changes, subject) === undefined) {
    const verdict = claimVerdict(answer.failure);
    if (verdict !== undefined) return verdict;
  }
  const message = predictedRejection(changes, subject);
  return message === undefined
    ? undefined
    : claimVerdict({ reason: "forbidden", status: 403, message, causes: [] });
}

/**
 * Returns a verdict on the claim.
 * Failures about permissions or quotas don't concern the claim itself.
 */
function claimVerdict(failure: ApiFailure): RejectedClaim | undefined {
  if (isMissingPermission(failure) || isDryRunUnsupported(failure)) return undefined;
  if (isDeniedByAdmission(failure)) return { failure, severity: "warning", fix: satisfy };
  if (isLimitRangeDenial(failure)) return { failure, severity: "error", fix: limit };
  return failure.reason === "invalid" ? { failure, severity: "error", fix: correct } : undefined;
}

const satisfy = "Satisfy the admission policy, unless it allows claims that a controller creates";
const limit =
  "Request storage within the limits of the namespace's LimitRange, or change the LimitRange";
const correct = "Correct the claim template in the adapter, or the parameters that it uses";
