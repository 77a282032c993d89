import { at, listAt } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { asPlanned } from "../planned-pods.ts";
import { type ComingPolicy, policyOf } from "./coming-policies.ts";
import { isMatchedBy, judgeByPolicy, type PolicyContext } from "./judge-by-policy.ts";
import { mayAskWebhook } from "./matches.ts";
import type { AdmissionRequest } from "./request.ts";

export const admission = "admissionregistration.k8s.io";

export interface Denial {
  readonly request: AdmissionRequest;
  readonly message: string;
}

/** The webhooks and policies that a deployment adds and that decide about its own requests. */
export interface ComingAdmission {
  /** Policies with a binding, which qvs evaluates. */
  readonly policies: readonly ComingPolicy[];
  /** All added webhooks and policies; only rules and selectors are known for webhooks. */
  readonly coming: readonly Change[];
  readonly changes: readonly Change[];
  readonly context: PolicyContext;
}

interface Foretold {
  readonly denials: readonly (Denial & { readonly policy: ComingPolicy })[];
  /** The names of objects without a known verdict, by the change that decides about them. */
  readonly open: readonly { readonly by: Change; readonly names: readonly string[] }[];
}

export function foretellAdmission(
  requests: readonly AdmissionRequest[],
  { policies, coming, changes, context }: ComingAdmission,
): Foretold {
  const judged = policies.flatMap((policy) =>
    requests.map((request) => ({
      ...{ policy, request },
      verdict: judgeByPolicy(policy, request, context),
    })),
  );
  const whole = new Set(policies.flatMap(({ policy, binding }) => [policy, binding]));
  const deciding = new Set([...coming, ...policies.map((policy) => policy.coming)]);
  const openFor = (change: Change) => [
    ...judged.flatMap(({ policy, request, verdict }) =>
      policy.coming === change && verdict.by === "nobody" ? [request] : [],
    ),
    ...(coming.includes(change) && !whole.has(asPlanned(change))
      ? requests.filter((request) => isAbout(change, changes, request, context))
      : []),
  ];
  return {
    denials: judged.flatMap(({ policy, request, verdict }) =>
      verdict.by === "policy" && verdict.denies
        ? [{ policy, request, message: verdict.message }]
        : [],
    ),
    open: [...deciding]
      .map((by) => ({ by, names: [...new Set(openFor(by).map((each) => nameOf(each.by.id)))] }))
      .filter(({ names }) => names.length > 0),
  };
}

/**
 * Reports whether an object might decide about a request, by its rules and selectors.
 * Bindings narrow the rules of their policy.
 */
export function isAbout(
  change: Change,
  changes: readonly Change[],
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  const object = asPlanned(change);
  if (object.kind.endsWith("WebhookConfiguration")) {
    return mayAskWebhook(object, request, context);
  }
  const isMatched = (policy: KubeObject, binding: KubeObject) =>
    isMatchedBy({ policy, binding }, request, context) !== false;
  if (!object.kind.endsWith("Binding")) {
    const bindings = boundBy(object, changes);
    return bindings.length === 0
      ? isMatched(object, none)
      : bindings.some((binding) => mayRefuse(binding) && isMatched(object, binding));
  }
  if (!mayRefuse(object)) return false;
  const policy = changes.find(
    ({ id }) => `${id.kind}Binding` === object.kind && id.name === policyOf(object),
  );
  return isMatched(policy === undefined ? none : asPlanned(policy), object);
}

const none: KubeObject = { apiVersion: "v1", kind: "None", metadata: {} };

/**
 * Reports whether a binding can deny requests.
 * It can't if it only warns. The binding of a mutating policy has no actions, so it can.
 */
function mayRefuse(binding: KubeObject): boolean {
  const actions = listAt(binding, "spec", "validationActions");
  return actions.length === 0 || actions.includes("Deny");
}

function boundBy(policy: KubeObject, changes: readonly Change[]): readonly KubeObject[] {
  const name = at(policy, "metadata", "name");
  return changes
    .filter(({ id }) => id.kind === `${policy.kind}Binding`)
    .map(asPlanned)
    .filter((binding) => policyOf(binding) === name);
}
