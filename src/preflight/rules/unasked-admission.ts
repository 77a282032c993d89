import { at, listAt, textAt } from "../../model/json.ts";
import { addressOf, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { ofComingKinds } from "../coming-kinds.ts";
import { namespacesToCome, policyOf } from "../policies/coming-policies.ts";
import { isMatchedBy, judgeByPolicy, type PolicyContext } from "../policies/judge-by-policy.ts";
import { mayAskWebhook } from "../policies/matches.ts";
import { type AdmissionRequest, requestAsDeclared } from "../policies/request.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

/**
 * Reports live webhooks and policies that decide about objects of a kind that doesn't exist yet.
 * A dry run can't call them before the kind exists.
 * The rule skips a ValidatingAdmissionPolicy that accepts the declared objects.
 */
export function unaskedAdmission({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const { changes } = plan;
  if (facts.admission.length === 0) return [];
  const requests = ofComingKinds(changes, facts).map((change) =>
    requestAsDeclared(change, plan.hides),
  );
  const context = namespacesToCome(changes, facts, plan.hides);
  const isDeciding = (one: KubeObject, request: AdmissionRequest) =>
    isAbout(one, facts.admission, request, context);
  const deciding = facts.admission.filter((one) => requests.some((each) => isDeciding(one, each)));
  const about = requests
    .filter((request) => deciding.some((one) => isDeciding(one, request)))
    .map(({ by }) => by);
  const [first] = about;
  if (first === undefined) return [];
  const names = deciding.map((one) => nameOf(idOf(one)));
  return [
    {
      code: "pending-admission",
      severity: "warning",
      object: addressOf(first.desired),
      what: `${summarizeList(
        about.map(({ id }) => nameOf(id)),
        mostNames,
      )} can't be checked by ${summarizeList(names, mostNames)} before the kind exists`,
      why: "The CustomResourceDefinition is created by this deployment or by one that is deployed first",
      fix: "Deploy the CustomResourceDefinition alone first, so that the preview can ask the API server",
      where: declarationPlaces({ where: placeOf(first.key) }),
    },
  ];
}

/**
 * Reports whether a webhook or policy decides about a request.
 * Bindings are checked together with their policies.
 */
function isAbout(
  one: KubeObject,
  all: readonly KubeObject[],
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  if (one.kind.endsWith("WebhookConfiguration")) {
    return mayAskWebhook(one, request, context);
  }
  if (one.kind.endsWith("Binding") || isForPreviews(one)) return false;
  return all
    .filter(({ kind }) => kind === `${one.kind}Binding`)
    .filter((binding) => policyOf(binding) === textAt(one, "metadata", "name"))
    .some((binding) => isDecidedBy(one, binding, request, context));
}

function isDecidedBy(
  policy: KubeObject,
  binding: KubeObject,
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  if (policy.kind === "MutatingAdmissionPolicy")
    return isMatchedBy({ policy, binding }, request, context) !== false;
  const params = at(policy, "spec", "paramKind") === undefined ? null : undefined;
  const verdict = judgeByPolicy({ policy, binding, params }, request, context);
  return verdict.by === "nobody" || verdict.denies;
}

/**
 * Reports whether a policy restricts an identity to dry runs (docs/integrate/permissions.md).
 * Such a policy doesn't affect deployments.
 */
function isForPreviews(policy: KubeObject): boolean {
  const expressions = listAt(policy, "spec", "validations").map((each) =>
    textAt(each, "expression"),
  );
  return expressions.length > 0 && expressions.every((each) => each === "request.dryRun");
}
