import { at, listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { changesOfPendingKinds } from "../pending-kinds.ts";
import { type AdmissionRequest, creationRequest } from "../policies/admission-request.ts";
import { evaluatePolicy, matchesPolicy, type PolicyContext } from "../policies/evaluate-policy.ts";
import { mayCallWebhook } from "../policies/match-resources.ts";
import { boundPolicyName, createPolicyContext } from "../policies/pending-policies.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxNames = 3;

/**
 * Reports live webhooks and policies that decide about objects of a kind that doesn't exist yet.
 * A dry run can't call them before the kind exists.
 * The rule skips a ValidatingAdmissionPolicy that accepts the declared objects.
 */
export function admissionOfPendingKinds({
  plan,
  facts,
  placeOf,
}: PreflightInput): readonly Finding[] {
  const { changes } = plan;
  if (facts.admissionObjects.length === 0) return [];
  const requests = changesOfPendingKinds(changes, facts).map((change) =>
    creationRequest(change, plan.hides),
  );
  const context = createPolicyContext(changes, facts, plan.hides);
  const isDeciding = (one: KubeObject, request: AdmissionRequest) =>
    mayDecide(one, facts.admissionObjects, request, context);
  const deciding = facts.admissionObjects.filter((one) =>
    requests.some((each) => isDeciding(one, each)),
  );
  const affected = requests
    .filter((request) => deciding.some((one) => isDeciding(one, request)))
    .map(({ cause }) => cause);
  const [first] = affected;
  if (first === undefined) return [];
  const names = deciding.map((one) => nameOf(idOf(one)));
  return [
    changeFinding(first, placeOf, {
      code: "pending-admission",
      severity: "warning",
      what: `${summarizeList(
        affected.map(({ id }) => nameOf(id)),
        maxNames,
      )} can't be checked by ${summarizeList(names, maxNames)} before the kind exists`,
      why: "The CustomResourceDefinition is created by this deployment or by one that is deployed first",
      fix: "Deploy the CustomResourceDefinition alone first, so that the preview can ask the API server",
    }),
  ];
}

/**
 * Reports whether a webhook or policy decides about a request.
 * Bindings are checked together with their policies.
 */
function mayDecide(
  one: KubeObject,
  all: readonly KubeObject[],
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  if (one.kind.endsWith("WebhookConfiguration")) {
    return mayCallWebhook(one, request, context);
  }
  if (one.kind.endsWith("Binding") || isPreviewOnly(one)) return false;
  return all
    .filter(({ kind }) => kind === `${one.kind}Binding`)
    .filter((binding) => boundPolicyName(binding) === textAt(one, "metadata", "name"))
    .some((binding) => mayDeny(one, binding, request, context));
}

function mayDeny(
  policy: KubeObject,
  binding: KubeObject,
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  if (policy.kind === "MutatingAdmissionPolicy")
    return matchesPolicy({ policy, binding }, request, context) !== false;
  const params = at(policy, "spec", "paramKind") === undefined ? null : undefined;
  const verdict = evaluatePolicy({ policy, binding, params }, request, context);
  return verdict.by === "nobody" || verdict.denies;
}

/**
 * Reports whether a policy restricts an identity to dry runs (docs/integrate/permissions.md).
 * Such a policy doesn't affect deployments.
 */
function isPreviewOnly(policy: KubeObject): boolean {
  const expressions = listAt(policy, "spec", "validations").map((each) =>
    textAt(each, "expression"),
  );
  return expressions.length > 0 && expressions.every((each) => each === "request.dryRun");
}
