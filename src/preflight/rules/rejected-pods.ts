import {
  type ApiFailure,
  type ApiResult,
  isMissingPermission,
} from "../../model/cluster/api/api-failure.ts";
import {
  isClassConflict,
  isDeniedByAdmission,
  isDryRunUnsupported,
  isLimitRangeDenial,
  isPodSecurityDenial,
  missingClass,
} from "../../model/cluster/api/messages/denials.ts";
import {
  isSelectorKeyConflict,
  schemaViolationFields,
  withoutSubject,
} from "../../model/cluster/api/messages/invalid-fields.ts";
import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { parsePath } from "../../model/fields/field-path.ts";
import { podClassKinds } from "../../model/governors.ts";
import { at } from "../../model/json.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { showableFailure } from "../../plan/changes/problems/dry-run-problems.ts";
import { type NewPod, toNewPod } from "../../validation/admission/admission-subject.ts";
import {
  liftingPolicy,
  type NamespacePolicyChange,
  predictedRejection,
} from "../../validation/admission/changed-namespace-policies.ts";
import { type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { asPlanned, isAlreadyReported, keepsTemplate } from "../planned-pods.ts";
import { hasNameOfPodClass } from "../referencing-kinds.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { plannedNamespacePolicies } from "../rollouts/planned-admission.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { securityContextFix } from "./security-context-fix.ts";

/**
 * Reports workloads whose Pods the API server rejects although it accepts the workload.
 * Without Pods, the rollout waits until its deadline.
 * The dry run of a sample Pod uses the live rules of the namespace. qvs itself checks the rules
 * that this deployment changes.
 */
export function rejectedPods({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const policyChanges = plannedNamespacePolicies(plan, facts);
  const all = { changes: [...facts.upstreamChanges, ...plan.changes] };
  return plan.changes.flatMap((change): readonly Finding[] => {
    const answer = facts.samplePods.get(change.key);
    if (answer === undefined) return [];
    const { namespace } = change.id;
    const changes = withLiveQuotas(policyChanges(namespace), namespace, facts);
    const rejected = findRejection(change, answer, changes, all, facts.server);
    if (rejected === undefined || isAlreadyReported(change, rejected.failure)) return [];
    const { failure, severity, fix } = rejected;
    const would = severity === "error" ? "would" : "might";
    return [
      changeFinding(change, placeOf, {
        code: "never-fits",
        severity: awaitsPodsOnNodes(change, facts) ? severity : "warning",
        what: `${nameOf(change.id)}: the API server ${would} reject its ${keepsTemplate(change) ? "new " : ""}Pods`,
        why: withoutSubject(showableFailure(failure, { ...change, object: change.desired })),
        fix,
        paste: securityContextFix(failure, asPlanned(change), facts.server),
        path: rejectedField(failure, change),
      }),
    ];
  });
}

/**
 * Returns the keys of workloads without any acceptable Pod, for which other rules report nothing.
 */
export function rejectedKeys(input: PreflightInput): ReadonlySet<string> {
  const rejected = rejectedPods(input).filter(({ severity }) => severity === "error");
  return new Set(
    rejected.map(({ object }) => keyOf({ ...object, group: groupOf(object.apiVersion) })),
  );
}

interface RejectedPod extends PodVerdict {
  readonly failure: ApiFailure;
}

/**
 * Returns the current rejection, unless this deployment removes its cause, or the rejection that a
 * changed rule will cause.
 */
function findRejection(
  change: Change,
  answer: ApiResult<KubeObject>,
  changes: readonly NamespacePolicyChange[],
  plan: Pick<Plan, "changes">,
  server: ServerVersion | undefined,
): RejectedPod | undefined {
  const pod = plannedPod(change, answer.ok ? answer.value : undefined, server);
  if (!answer.ok && liftingPolicy(answer.failure, changes, pod) === undefined) {
    const verdict = podVerdict(answer.failure, change, plan);
    if (verdict !== undefined) return { failure: answer.failure, ...verdict };
  }
  const message = pod && predictedRejection(changes, pod);
  if (message === undefined) return undefined;
  const failure: ApiFailure = { reason: "forbidden", status: 403, message, causes: [] };
  const verdict = podVerdict(failure, change, plan);
  return verdict && { failure, ...verdict };
}

function plannedPod(
  change: Change,
  admitted: KubeObject | undefined,
  server: ServerVersion | undefined,
): NewPod | undefined {
  const planned = asPlanned(change);
  const pods = podSpecOf(planned);
  return pods && toNewPod(at(planned, ...pods.path.slice(0, -1)) ?? {}, admitted, server);
}

/** Adds the live quotas, because they apply to the defaults of a changed LimitRange. */
function withLiveQuotas(
  changes: readonly NamespacePolicyChange[],
  namespace: string,
  { quotas }: ClusterFacts,
): readonly NamespacePolicyChange[] {
  if (!changes.some(({ after }) => after.kind === "LimitRange")) return changes;
  const planned = new Set(changes.map(({ after }) => keyOf(idOf(after))));
  const fact = quotas.get(namespace);
  const live = (fact === undefined ? [] : knownValues(fact))
    .map((quota) => ({ before: undefined, after: quota }))
    .filter(({ after }) => !planned.has(keyOf(idOf(after))));
  return [...changes, ...live];
}

/**
 * Returns the path of the rejected field in the workload.
 * The error names a field of a Pod, such as `spec.containers[0].image`, which is below the Pod
 * template.
 */
function rejectedField(failure: ApiFailure, { desired }: Change): readonly string[] | undefined {
  const pods = podSpecOf(desired);
  const named =
    failure.causes.length > 0
      ? failure.causes.map(({ field }) => field)
      : schemaViolationFields(failure);
  const [field = "", ...others] = new Set(named);
  if (pods === undefined || others.length > 0 || !field.startsWith("spec.")) return undefined;
  const steps = parsePath(field.slice("spec.".length)) ?? [];
  const names = steps.flatMap((step) => {
    if (step.type === "every") return [];
    return [step.type === "index" ? String(step.index) : step.name];
  });
  return names.length === 0 ? undefined : [...pods.path, ...names];
}

interface PodVerdict {
  readonly severity: Severity;
  readonly fix: string;
}

function podVerdict(
  failure: ApiFailure,
  change: Change,
  plan: Pick<Plan, "changes">,
): PodVerdict | undefined {
  const { id } = change;
  if (isMissingPermission(failure) || isDryRunUnsupported(failure)) return undefined;
  if (isPodSecurityDenial(failure)) return { severity: "error", fix: secure(id.namespace) };
  if (isDeniedByAdmission(failure)) return { severity: "warning", fix: satisfy };
  if (isLimitRangeDenial(failure)) return { severity: "error", fix: limit };
  const missing = missingClass(failure);
  if (missing !== undefined) {
    const isPending = plan.changes.some(
      ({ id: { kind, name } }) => kind === missing.kind && name === missing.name,
    );
    return isPending ? undefined : { severity: "error", fix: createClass };
  }
  if (isClassConflict(failure) && !isClassChanged(change, plan)) {
    return { severity: "error", fix: correct };
  }
  if (failure.reason !== "invalid") return undefined;
  if (hasTooLongName(failure, change)) return { severity: "error", fix: shorten };
  const { causes } = failure;
  const isKey = causes.length > 0 && causes.every(isSelectorKeyConflict);
  return { severity: "error", fix: isKey ? dropKey : correct };
}

/** Reports whether the plan changes a class of the Pod. The API server used the previous class. */
function isClassChanged(change: Change, { changes }: Pick<Plan, "changes">): boolean {
  const spec = podSpecOf(asPlanned(change))?.spec ?? null;
  const named = podClassKinds.map(({ podField }) => at(spec, podField));
  return changes.some(
    ({ id, action }) => action !== "unchanged" && hasNameOfPodClass(id) && named.includes(id.name),
  );
}

/**
 * Reports whether the name of a StatefulSet is too long for a label of its Pods.
 * A label has at most 63 characters. The controller writes the name, a hyphen and a hash of up to
 * 10 into it.
 */
function hasTooLongName({ causes }: ApiFailure, { id }: Change): boolean {
  const isOfLabels = causes.length > 0 && causes.every(({ field }) => field === "metadata.labels");
  const longest = 52;
  return isOfLabels && id.kind === "StatefulSet" && id.name.length > longest;
}

const shorten =
  "Shorten its name to at most 52 characters: a label of each Pod contains the name and the hash of its revision";
const satisfy = "Satisfy the admission policy, unless it allows Pods that a controller creates";
const limit = "Set container resources that the namespace's LimitRange and ResourceQuota allow";
const createClass = "Set a class that exists in the cluster, or declare the class in appSetup";
const dropKey =
  "Remove the key from matchLabelKeys: the labelSelector already contains it, and a label that every version has doesn't distinguish versions";
const correct = "Correct the Pod template in the adapter, or the parameters that it uses";

function secure(namespace: string): string {
  return `Set the required securityContext, or lower the label pod-security.kubernetes.io/enforce of namespace ${namespace}`;
}
