import { isClaim } from "../../model/cluster/persistent-volume-claims.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import {
  governedNamespace,
  isAdmissionConfiguration,
  isNamespacePolicy,
} from "../../model/governors.ts";
import { at, listAt, sameJson, textAt } from "../../model/json.ts";
import { isCoreKind, kindKey } from "../../model/kinds.ts";
import { addressOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { RollbackObstacle } from "../../model/plan/predictions.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import {
  type AdmissionRequest,
  admissionRequests,
  deletionRequest,
  recordRequests,
  recreationRequest,
} from "../../preflight/policies/admission-request.ts";
import { createPolicyContext, pendingPolicies } from "../../preflight/policies/pending-policies.ts";
import { mayDecide, predictAdmission } from "../../preflight/policies/predict-admission.ts";
import { contentAfterChange } from "./object-after-change.ts";

/** The effects of the policies that the plan leaves behind on the way back. */
interface PolicyEffects {
  /** The objects that a policy rejects. */
  readonly denied: readonly RollbackObstacle[];
  /** The policies whose answers qvs doesn't know. */
  readonly undecided: readonly RollbackObstacle[];
}

/** The maximum number of names in a message. */
const maxNames = 3;

/**
 * Judges the rollback by the policies that the plan creates or changes. They stay in effect while
 * the rollback writes: qvs deletes last, and restores policies last in their stage.
 */
export function policiesAfterPlan(plan: Plan, undo: Plan): PolicyEffects {
  const { denied, undecided } = admissionEffects(plan, undo);
  return {
    denied,
    undecided: [...undecided, ...namespaceEffects(plan, undo), ...serverEffects(plan, undo)],
  };
}

function admissionEffects(plan: Plan, undo: Plan): PolicyEffects {
  const pendingChanges = plan.changes.filter(
    ({ id, action }) => action !== "unchanged" && isAdmissionConfiguration(id),
  );
  const { changes, hides } = plan;
  const policies = pendingPolicies(changes, { dependencies: new Map() }, "deletions");
  if (pendingChanges.length + policies.length === 0) return { denied: [], undecided: [] };
  const context = createPolicyContext(changes, { namespaces: unread }, hides);
  const requests = rollbackRequests(undo);
  const { denials, undecided } = predictAdmission(requests, {
    ...{ policies, pendingChanges, changes, context },
  });
  const mutated = pendingChanges
    .filter(({ id }) => id.kind.startsWith("Mutating"))
    .some((change) => requests.some((each) => mayDecide(change, changes, each, context)));
  const stages = new Map(undo.changes.map(({ key, stage }) => [key, stage]));
  // qvs deletes some objects before the policy and some after it. It restores a changed policy and
  // its parameters last in their stage, so before the next one. A change by a mutating policy can
  // end a denial.
  const isRestoredLater = ({ request, policy }: (typeof denials)[number]) => {
    const { key, live } = policy.pendingChange;
    return live === undefined || stages.get(key) === stages.get(request.cause.key);
  };
  const isCertain = (denial: (typeof denials)[number]) =>
    denial.request.operation !== "DELETE" && isRestoredLater(denial) && !mutated;
  const certain = denials.filter(isCertain);
  const uncertain = denials.filter((each) => !isCertain(each));
  return {
    denied: certain.map(({ request: { cause }, policy, message }) => ({
      object: addressOf(cause.desired),
      what: `${nameOf(cause.id)} would be rejected by ${nameOf(policy.pendingChange.id)}`,
      why: `The deployment writes it, and a rollback removes or restores it last. The API server would answer: ${message}`,
      fix: "Deploy the policy after the objects of the current release satisfy it",
    })),
    undecided: [
      ...undecided.map(({ by, names }) => undecidedBy(by, names)),
      ...uncertain.map(({ request, policy }) =>
        undecidedBy(policy.pendingChange, [nameOf(request.cause.id)]),
      ),
    ],
  };
}

const unread = { known: false, why: "" } as const;

/** Returns the requests that the rollback sends before its last deletions, and for its record. */
function rollbackRequests(undo: Plan): readonly AdmissionRequest[] {
  const { changes, deletions, hides } = undo;
  const written = changes.filter(
    ({ id, action }) => action !== "unchanged" && !isAdmissionConfiguration(id),
  );
  const noSamples = { samplePods: new Map() };
  return [
    ...written.flatMap((change) => [
      ...[recreationRequest(change, hides)].filter((each) => each !== undefined),
      ...admissionRequests(change, noSamples, hides),
    ]),
    ...deletions
      .filter(({ id }) => !isAdmissionConfiguration(id))
      .map((deletion) => deletionRequest(deletion, hides)),
    ...recordRequests(undo),
  ];
}

function undecidedBy(by: Change, names: readonly string[]): RollbackObstacle {
  return {
    object: addressOf(by.desired),
    what: `${nameOf(by.id)} decides about ${summarizeList(names, maxNames)}`,
    why: "The deployment writes it, and qvs can't ask it before that",
    fix: "Deploy it alone first, so that a preview can ask it",
  };
}

/** Returns the APIServices of the plan that decide which server answers the rollback. */
function serverEffects(plan: Plan, undo: Plan): readonly RollbackObstacle[] {
  const written = undo.changes.filter(({ action }) => action !== "unchanged");
  return plan.changes
    .filter(({ id, action }) => action !== "unchanged" && kindKey(id) === apiServiceKind)
    .flatMap((service) => {
      const group = textAt(service.desired, "spec", "group");
      const names = written.filter(({ id }) => id.group === group).map(({ id }) => nameOf(id));
      return names.length === 0 ? [] : [undecidedBy(service, names)];
    });
}

const apiServiceKind = "apiregistration.k8s.io/APIService";

/**
 * Returns the Namespaces, LimitRanges and quotas of the plan by which the API server judges objects
 * of the rollback. A rollback restores changed ones first, and deletes new ones last.
 */
function namespaceEffects(plan: Plan, undo: Plan): readonly RollbackObstacle[] {
  const restored = new Set(
    undo.changes.filter(({ action }) => action !== "unchanged").map(({ key }) => key),
  );
  return plan.changes
    .filter((change) => isNewLimit(change, plan) && !restored.has(change.key))
    .flatMap((policy) => {
      const judged = undo.changes.filter((change) => judges(policy, change));
      const names = judged.map(({ id }) => nameOf(id));
      return names.length === 0 ? [] : [undecidedBy(policy, names)];
    });
}

/** Reports whether the plan adds a limit, or changes one that stays on the way back. */
function isNewLimit(change: Change, { deployment }: Plan): boolean {
  const { id, action, live } = change;
  if (action === "unchanged" || !isNamespacePolicy(id)) return false;
  const after = contentAfterChange(change, deployment);
  if (!isCoreKind(id, "Namespace")) return !sameJson(at(live, "spec"), at(after, "spec"));
  return live !== undefined && !sameJson(enforcedLevel(live), enforcedLevel(after));
}

function enforcedLevel(namespace: KubeObject): readonly string[] {
  return ["enforce", "enforce-version"].map(
    (name) => textAt(namespace, "metadata", "labels", `pod-security.kubernetes.io/${name}`) ?? "",
  );
}

function judges({ id: policy }: Change, { id, action, desired }: Change): boolean {
  if (action === "unchanged" || id.namespace !== governedNamespace(policy)) return false;
  const createsPods = podSpecOf(desired) !== undefined;
  if (isCoreKind(policy, "Namespace")) return createsPods;
  const createsClaims = isClaim(id) || listAt(desired, "spec", "volumeClaimTemplates").length > 0;
  const isCounted = isCoreKind(policy, "ResourceQuota") && action !== "update";
  return createsPods || createsClaims || isCounted;
}
