import { at, listAt } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { asPlanned } from "../planned-pods.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import { evaluatePolicy, matchesPolicy, type PolicyContext } from "./evaluate-policy.ts";
import { mayCallWebhook } from "./match-resources.ts";
import { boundPolicyName, type PendingPolicy } from "./pending-policies.ts";

export interface Denial {
  readonly request: AdmissionRequest;
  readonly message: string;
}

/** The webhooks and policies that a deployment adds and that decide about its own requests. */
export interface PendingAdmission {
  /** Policies with a binding, which qvs evaluates. */
  readonly policies: readonly PendingPolicy[];
  /** All added webhooks and policies; only rules and selectors are known for webhooks. */
  readonly pendingChanges: readonly Change[];
  readonly changes: readonly Change[];
  readonly context: PolicyContext;
}

interface AdmissionPrediction {
  readonly denials: readonly (Denial & { readonly policy: PendingPolicy })[];
  /** The objects without a known verdict, by the change that decides about them. */
  readonly undecided: readonly UndecidedObjects[];
}

export interface UndecidedObjects {
  readonly by: Change;
  readonly names: readonly string[];
  readonly keys: ReadonlySet<string>;
}

export function predictAdmission(
  requests: readonly AdmissionRequest[],
  { policies, pendingChanges, changes, context }: PendingAdmission,
): AdmissionPrediction {
  const verdicts = policies.flatMap((policy) =>
    requests.map((request) => ({
      ...{ policy, request },
      verdict: evaluatePolicy(policy, request, context),
    })),
  );
  const evaluatedObjects = new Set(policies.flatMap(({ policy, binding }) => [policy, binding]));
  const deciding = new Set([...pendingChanges, ...policies.map((policy) => policy.pendingChange)]);
  const undecidedRequests = (change: Change) => [
    ...verdicts.flatMap(({ policy, request, verdict }) =>
      policy.pendingChange === change && verdict.by === "nobody" ? [request] : [],
    ),
    ...(pendingChanges.includes(change) && !evaluatedObjects.has(asPlanned(change))
      ? requests.filter((request) => mayDecide(change, changes, request, context))
      : []),
  ];
  return {
    denials: verdicts.flatMap(({ policy, request, verdict }) =>
      verdict.by === "policy" && verdict.denies
        ? [{ policy, request, message: verdict.message }]
        : [],
    ),
    undecided: [...deciding]
      .map((by) => {
        const causes = undecidedRequests(by).map(({ cause }) => cause);
        const names = [...new Set(causes.map(({ id }) => nameOf(id)))];
        return { by, names, keys: new Set(causes.map(({ key }) => key)) };
      })
      .filter(({ names }) => names.length > 0),
  };
}

/**
 * Reports whether an object might decide about a request, by its rules and selectors.
 * Bindings narrow the rules of their policy.
 */
export function mayDecide(
  change: Change,
  changes: readonly Change[],
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  const object = asPlanned(change);
  if (object.kind.endsWith("WebhookConfiguration")) {
    return mayCallWebhook(object, request, context);
  }
  const isMatched = (policy: KubeObject, binding: KubeObject) =>
    matchesPolicy({ policy, binding }, request, context) !== false;
  if (!object.kind.endsWith("Binding")) {
    const bindings = findBindings(object, changes);
    return bindings.length === 0
      ? isMatched(object, noPolicy)
      : bindings.some((binding) => canDeny(binding) && isMatched(object, binding));
  }
  if (!canDeny(object)) return false;
  const policy = changes.find(
    ({ id }) => `${id.kind}Binding` === object.kind && id.name === boundPolicyName(object),
  );
  return isMatched(policy === undefined ? noPolicy : asPlanned(policy), object);
}

const noPolicy: KubeObject = { apiVersion: "v1", kind: "None", metadata: {} };

/**
 * Reports whether a binding can deny requests.
 * It can't if it only warns. The binding of a mutating policy has no actions, so it can.
 */
function canDeny(binding: KubeObject): boolean {
  const actions = listAt(binding, "spec", "validationActions");
  return actions.length === 0 || actions.includes("Deny");
}

function findBindings(policy: KubeObject, changes: readonly Change[]): readonly KubeObject[] {
  const name = at(policy, "metadata", "name");
  return changes
    .filter(({ id }) => id.kind === `${policy.kind}Binding`)
    .map(asPlanned)
    .filter((binding) => boundPolicyName(binding) === name);
}
