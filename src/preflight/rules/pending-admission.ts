import { calledServices, selectsPodsOf } from "../../model/cluster/called-services.ts";
import { isAdmissionConfiguration } from "../../model/governors.ts";
import { type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { asPlanned } from "../planned-pods.ts";
import {
  type AdmissionRequest,
  admissionRequests,
  recreationRequest,
} from "../policies/admission-request.ts";
import { type DeadWebhook, deadWebhooks, isBlocked } from "../policies/dead-webhooks.ts";
import type { PolicyContext } from "../policies/evaluate-policy.ts";
import {
  createPolicyContext,
  type PendingPolicy,
  pendingPolicies,
} from "../policies/pending-policies.ts";
import {
  type Denial,
  mayDecide,
  predictAdmission,
  type UndecidedObjects,
} from "../policies/predict-admission.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxNames = 3;

/**
 * Reports objects of app that a new webhook or policy of appSetup decides about.
 * A dry run can't call a webhook or policy that doesn't exist yet. Within a stage, qvs writes
 * webhooks and policies last.
 * qvs evaluates a ValidatingAdmissionPolicy itself if it knows all inputs.
 */
export function pendingAdmission({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const { changes } = plan;
  const written = changes.filter(({ action }) => action !== "unchanged");
  const early = written.filter(({ stage }) => stage === "appSetup");
  const pendingChanges = early.filter(({ id }) => isAdmissionConfiguration(id));
  const policies = pendingPolicies(changes, facts, "app");
  if (pendingChanges.length + policies.length === 0) return [];
  const context = createPolicyContext(changes, facts, plan.hides);
  const requests = written
    // Admission webhooks and policies don't apply to admission objects.
    .filter(({ stage, id }) => stage === "app" && !isAdmissionConfiguration(id))
    .flatMap((change) => [
      ...[recreationRequest(change, plan.hides)].filter((each) => each !== undefined),
      ...admissionRequests(change, facts, plan.hides),
    ])
    .map((request) => withoutMutableObject(request, pendingChanges, changes, context));
  const { denials, undecided } = predictAdmission(requests, {
    policies,
    pendingChanges,
    changes,
    context,
  });
  const dead = deadWebhooks(changes, facts).filter(({ by }) => by.stage === "appSetup");
  const deadConfigurations = new Set(dead.map(({ by }) => by));
  return [
    ...denials.map((denial) => denialFinding(denial, denial.policy, { plan, facts, placeOf })),
    ...dead.flatMap((webhook) => {
      const blocked = requests.filter((request) => isBlocked(webhook, request, context));
      return blocked.length === 0
        ? []
        : [changeFinding(webhook.by, placeOf, deadVerdict(webhook, blocked))];
    }),
    ...undecided
      .filter(({ by }) => !deadConfigurations.has(by))
      .map((each) => changeFinding(each.by, placeOf, undecidedVerdict(each, changes))),
  ];
}

/** Removes the object from a request that a new mutating webhook or policy might change. */
function withoutMutableObject(
  request: AdmissionRequest,
  pendingChanges: readonly Change[],
  changes: readonly Change[],
  context: PolicyContext,
): AdmissionRequest {
  const isMutated = pendingChanges
    .filter(({ id }) => id.kind.startsWith("Mutating"))
    .some((change) => mayDecide(change, changes, request, context));
  return isMutated ? { ...request, object: undefined } : request;
}

function denialFinding(
  { request: { cause, kind, operation }, message }: Denial,
  { pendingChange }: PendingPolicy,
  { plan, facts, placeOf }: Pick<PreflightInput, "plan" | "facts" | "placeOf">,
): Finding {
  const isItself = kind === cause.id.kind;
  const workload = plan.changes.find(({ key }) => key === cause.key);
  const isAwaited = isItself || (workload !== undefined && awaitsPodsOnNodes(workload, facts));
  const itself = operation === "DELETE" ? ": its deletion" : "";
  const subject = `${nameOf(cause.id)}${isItself ? itself : ": every Pod of it"}`;
  return changeFinding(cause, placeOf, {
    code: "pending-admission",
    severity: isAwaited ? "error" : "warning",
    what: `${subject} would be rejected by a policy of this deployment`,
    why: `appSetup deploys ${nameOf(pendingChange.id)} first. The API server would answer: ${message}`,
    fix: `Satisfy the policy, or ${declareInApp}`,
  });
}

const declareInApp = "declare it in app, where qvs writes it last";

function undecidedVerdict({ by, names, keys }: UndecidedObjects, changes: readonly Change[]) {
  const [name, others] = [nameOf(by.id), summarizeList(names, maxNames)];
  const service = pendingService(asPlanned(by), changes);
  if (service !== undefined && servesWithout(service, keys, changes)) {
    return {
      code: "pending-admission",
      severity: "warning",
      what: `${name} delays ${others}`,
      why: `It is in appSetup, but it calls ${nameOf(service.id)}, which is in app and doesn't exist yet. qvs sends these objects again until the webhook answers`,
      fix: "Declare it in app, where qvs writes it last, or set failurePolicy: Ignore",
    } as const;
  }
  if (service !== undefined) {
    return {
      code: "pending-admission",
      severity: "error",
      what: `${name} would block ${others}`,
      why: `It is in appSetup, but it calls ${nameOf(service.id)}, which is in app and doesn't exist yet`,
      fix: "Declare it in app, where qvs writes it last, or set failurePolicy: Ignore",
    } as const;
  }
  return {
    code: "pending-admission",
    severity: "warning",
    what: `${name} can't be asked about ${others} before it is deployed`,
    why: "It is in appSetup, which is deployed before them",
    fix: `Deploy it alone first, so that the preview can ask it, or ${declareInApp}`,
  } as const;
}

function deadVerdict({ by, service }: DeadWebhook, blocked: readonly AdmissionRequest[]) {
  const names = [...new Set(blocked.map(({ cause }) => nameOf(cause.id)))];
  return {
    code: "pending-admission",
    severity: "error",
    what: `${nameOf(by.id)} would block ${summarizeList(names, maxNames)}`,
    why: `It is in appSetup, but it calls ${nameOf(service)}, which doesn't exist`,
    fix: `Declare ${nameOf(service)}, or set failurePolicy: Ignore`,
  } as const;
}

/**
 * Reports whether a new Service can answer while these objects don't exist. qvs then waits for the
 * webhook. The deployment declares its workload, and neither needs one of the objects.
 */
function servesWithout(
  service: Change,
  blocked: ReadonlySet<string>,
  changes: readonly Change[],
): boolean {
  const planned = asPlanned(service);
  const workloads = changes.filter((each) => selectsPodsOf(planned, asPlanned(each)));
  const needed = new Set([service, ...workloads].map(({ key }) => key));
  // The plan lists an object after its dependencies.
  for (const { key, after } of changes.toReversed()) {
    if (needed.has(key)) for (const { on } of after) needed.add(on);
  }
  return workloads.length > 0 && ![...blocked].some((key) => needed.has(key));
}

/**
 * Returns the change that creates the Service of a webhook in app.
 * Until the Service answers, the webhook blocks all its requests.
 */
function pendingService(object: KubeObject, changes: readonly Change[]): Change | undefined {
  const services = calledServices(object).filter(({ isNeeded }) => isNeeded);
  const keys = new Set(services.map(({ id }) => keyOf(id)));
  return changes.find(
    ({ key, stage, live }) => keys.has(key) && stage === "app" && live === undefined,
  );
}
