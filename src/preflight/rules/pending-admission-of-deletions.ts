import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { comingPolicies, namespacesToCome } from "../policies/coming-policies.ts";
import { admission, foretellAdmission } from "../policies/may-refuse.ts";
import { requestOfDeletion } from "../policies/request.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

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
  const coming = changes.filter(
    ({ id, action }) => id.group === admission && action !== "unchanged",
  );
  const policies = comingPolicies(changes, facts, "deletions");
  if (deletions.length === 0 || coming.length + policies.length === 0) return [];
  const context = namespacesToCome(changes, facts, hides);
  // Admission webhooks and policies don't apply to admission objects.
  const requests = deletions
    .filter(({ id }) => id.group !== admission)
    .map((deletion) => requestOfDeletion(deletion, hides));
  const { denials, open } = foretellAdmission(requests, { policies, coming, changes, context });
  return [
    ...denials.map(
      ({ policy: { coming: by }, request, message }): Finding => ({
        code: "pending-admission",
        severity: "warning",
        object: addressOf(request.by.desired),
        what: `${nameOf(request.by.id)}: its deletion can be rejected by a policy of this deployment`,
        why: `This deployment writes ${nameOf(by.id)} before it deletes objects. As soon as the policy is in effect, the API server answers: ${message}`,
        fix: "Delete it in a deployment before the one that adds the policy, or change the policy to allow the deletion",
        where: declarationPlaces({ where: placeOf(by.key) }),
      }),
    ),
    ...open.map(({ by, names }): Finding => {
      return {
        code: "pending-admission",
        severity: "warning",
        object: addressOf(by.desired),
        what: `${nameOf(by.id)} can't be asked about deleting ${summarizeList(names, mostNames)} before it is deployed`,
        why: "qvs deletes objects that are no longer declared last",
        fix: "Delete them in a deployment before the one that adds it",
        where: declarationPlaces({ where: placeOf(by.key) }),
      };
    }),
  ];
}
