import { isAdmissionConfiguration } from "../../model/governors.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { deletionRequest } from "../policies/admission-request.ts";
import { createPolicyContext, pendingPolicies } from "../policies/pending-policies.ts";
import { predictAdmission } from "../policies/predict-admission.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxNames = 3;

/**
 * Reports deletions that a webhook or policy of the same deployment decides about.
 * qvs deletes objects last. By then, all webhooks and policies of the deployment exist, including
 * those of app.
 * The severity is never error: a new policy takes effect after a delay, and short deployments
 * delete objects before that.
 */
export function pendingAdmissionOfDeletions({
  plan: { changes, deletions, hides },
  facts,
  placeOf,
}: PreflightInput): readonly Finding[] {
  const pendingChanges = changes.filter(
    ({ id, action }) => isAdmissionConfiguration(id) && action !== "unchanged",
  );
  const policies = pendingPolicies(changes, facts, "deletions");
  if (deletions.length === 0 || pendingChanges.length + policies.length === 0) return [];
  const context = createPolicyContext(changes, facts, hides);
  // Admission webhooks and policies don't apply to admission objects.
  const requests = deletions
    .filter(({ id }) => !isAdmissionConfiguration(id))
    .map((deletion) => deletionRequest(deletion, hides));
  const { denials, undecided } = predictAdmission(requests, {
    policies,
    pendingChanges,
    changes,
    context,
  });
  return [
    ...denials.map(
      ({ policy: { pendingChange: by }, request, message }): Finding => ({
        code: "pending-admission",
        severity: "warning",
        object: addressOf(request.cause.desired),
        what: `${nameOf(request.cause.id)}: its deletion can be rejected by a policy of this deployment`,
        why: `This deployment writes ${nameOf(by.id)} before it deletes objects. As soon as the policy is in effect, the API server answers: ${message}`,
        fix: "Delete it in a deployment before the one that adds the policy, or change the policy to allow the deletion",
        where: declarationPlaces({ where: placeOf(by.key) }),
      }),
    ),
    ...undecided.map(({ by, names }) =>
      changeFinding(by, placeOf, {
        code: "pending-admission",
        severity: "warning",
        what: `${nameOf(by.id)} can't be asked about deleting ${summarizeList(names, maxNames)} before it is deployed`,
        why: "qvs deletes objects that are no longer declared last",
        fix: "Delete them in a deployment before the one that adds it",
      }),
    ),
  ];
}
