import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { recordRequests } from "../policies/admission-request.ts";
import { deadWebhooks, isBlocked } from "../policies/dead-webhooks.ts";
import { createPolicyContext } from "../policies/pending-policies.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports webhooks without a server that would block the Secrets and the Lease in which qvs records
 * releases. After such a deployment, qvs could neither deploy nor roll back.
 */
export function pendingAdmissionOfRecords({
  plan,
  facts,
  placeOf,
}: PreflightInput): readonly Finding[] {
  const dead = deadWebhooks(plan.changes, facts);
  if (dead.length === 0) return [];
  const context = createPolicyContext(plan.changes, facts, plan.hides);
  const requests = recordRequests(plan);
  return dead
    .filter((webhook) => requests.some((request) => isBlocked(webhook, request, context)))
    .map(({ by, service }) =>
      changeFinding(by, placeOf, {
        code: "pending-admission",
        severity: "error",
        what: `${nameOf(by.id)} would block the records of releases`,
        why: `qvs writes Secrets and a Lease in namespace ${plan.namespace}. The webhook decides about them, but it calls ${nameOf(service)}, which doesn't exist. Until it answers, qvs can neither deploy nor roll back`,
        fix: `Leave out namespace ${plan.namespace} with a namespaceSelector, or set failurePolicy: Ignore`,
      }),
    );
}
