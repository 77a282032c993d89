import { type ApiFailure, isMissingRight } from "../../model/cluster/api-failure.ts";
import {
  isAboutLimits,
  isAboutSelectorKeys,
  isDeniedByAdmission,
  isPodSecurity,
  isWithoutDryRun,
  misfitFields,
  missingClass,
  withoutSubject,
} from "../../model/cluster/api-words.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { parsePath } from "../../model/fields/ignore-paths.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { showable } from "../../plan/changes/dry-run-problems.ts";
import { awaitsPods } from "../planned-pods.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * The API server accepts a workload whose every Pod it refuses; then there is no Pod to see, and the rollout waits until its
 * deadline. Refusals that this deployment itself may do away with, or that are about whoever asks, are none.
 */
export function refusedPods({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.flatMap((change): readonly Finding[] => {
    const answer = facts.samplePods.get(change.key);
    if (answer === undefined || answer.ok) return [];
    const { failure } = answer;
    const verdict = verdictOn(failure, change, plan);
    if (verdict === undefined) return [];
    const would = verdict.severity === "error" ? "would refuse" : "may refuse";
    return [
      {
        code: "never-fits",
        severity: awaitsPods(change) ? verdict.severity : "warning",
        object: addressOf(change.desired),
        what: `${nameOf(change.id)}: the API server ${would} every Pod of it`,
        why: withoutSubject(showable(failure, { ...change, object: change.desired })),
        fix: verdict.fix,
        path: refusedField(failure, change),
        where: declaredAt({ where: placeOf(change.key) }),
      },
    ];
  });
}

/** The field of the template that the refusal names, where it names one: `spec.containers[0].image` is below the template of a Pod. */
function refusedField(failure: ApiFailure, { desired }: Change): readonly string[] | undefined {
  const pods = podSpecOf(desired);
  const named =
    failure.causes.length > 0 ? failure.causes.map(({ field }) => field) : misfitFields(failure);
  const [field = "", ...others] = new Set(named);
  if (pods === undefined || others.length > 0 || !field.startsWith("spec.")) return undefined;
  const steps = parsePath(field.slice("spec.".length)) ?? [];
  const names = steps.flatMap((step) => {
    if (step.type === "every") return [];
    return [step.type === "index" ? String(step.index) : step.name];
  });
  return names.length === 0 ? undefined : [...pods.path, ...names];
}

interface Verdict {
  readonly severity: Severity;
  readonly fix: string;
}

function verdictOn(failure: ApiFailure, { id }: Change, plan: Plan): Verdict | undefined {
  const changes = (...kinds: readonly string[]) => changesAny(plan, kinds, id.namespace);
  if (isMissingRight(failure) || isWithoutDryRun(failure)) return undefined;
  if (isPodSecurity(failure)) {
    return changes("Namespace") ? undefined : { severity: "error", fix: secure(id.namespace) };
  }
  if (isDeniedByAdmission(failure)) return { severity: "warning", fix: satisfy };
  if (isAboutLimits(failure)) {
    return changes("LimitRange", "ResourceQuota") ? undefined : { severity: "error", fix: limit };
  }
  const missing = missingClass(failure);
  if (missing !== undefined) {
    const isToCome = plan.changes.some(
      ({ id: { kind, name } }) => kind === missing.kind && name === missing.name,
    );
    return isToCome ? undefined : { severity: "error", fix: createClass };
  }
  if (failure.reason !== "invalid") return undefined;
  const { causes } = failure;
  const isKey = causes.length > 0 && causes.every(isAboutSelectorKeys);
  return { severity: "error", fix: isKey ? dropKey : correct };
}

const satisfy =
  "Satisfy the policy of the cluster; one that asks who makes a Pod may let the controller make it";
const limit =
  "Set resources of the containers that the LimitRange and the ResourceQuota of the namespace allow";
const createClass = "Name a class that the cluster has, or declare it in appSetup";
const dropKey =
  "Take the key out of matchLabelKeys: the labelSelector has it already, and a label of every version tells no versions apart";
const correct = "Correct the Pod template in the adapter, or the parameters that it is made from";

function secure(namespace: string): string {
  return `Set the securityContext that it asks for, or lower the label pod-security.kubernetes.io/enforce of namespace ${namespace}`;
}

/** Whether this deployment changes something of these kinds that is about the namespace. */
function changesAny(
  { changes, deletions }: Plan,
  kinds: readonly string[],
  namespace: string,
): boolean {
  const changed = changes.filter(({ action }) => action !== "unchanged");
  return [...changed, ...deletions].some(
    ({ id }) =>
      kinds.includes(id.kind) &&
      id.group === "" &&
      (id.kind === "Namespace" ? id.name : id.namespace) === namespace,
  );
}
