import { unavailableWebhook } from "../../model/cluster/api-messages/denials.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

const maxNames = 3;

interface WebhookRejection {
  readonly change: Change;
  readonly isPod: boolean;
}

/** Reports each unavailable webhook once. Each object that the webhook blocks has its own error. */
export function webhookDown({ plan, facts }: PreflightInput): readonly Finding[] {
  const byWebhook = new Map<string, WebhookRejection[]>();
  const addRejection = (message: string, rejection: WebhookRejection) => {
    const webhook = unavailableWebhook({ message });
    if (webhook !== undefined)
      byWebhook.set(webhook, [...(byWebhook.get(webhook) ?? []), rejection]);
  };
  for (const change of plan.changes) {
    const { certainty } = change;
    if (certainty.by === "refused") addRejection(certainty.reason, { change, isPod: false });
    const pod = facts.samplePods.get(change.key);
    if (pod?.ok === false) addRejection(pod.failure.message, { change, isPod: true });
  }
  // An earlier deployment might create the webhook's backend.
  const severity =
    facts.upstreamChanges.length + facts.upstreamDeletions.length > 0 ? "warning" : "error";
  return [...byWebhook].map(([webhook, rejection]) => webhookFinding(webhook, rejection, severity));
}

function webhookFinding(
  webhook: string,
  rejections: readonly WebhookRejection[],
  severity: Finding["severity"],
): Finding {
  const { change: first } = rejections[0] as WebhookRejection;
  const names = rejections.map(({ change, isPod }) =>
    isPod ? `the Pods of ${nameOf(change.id)}` : nameOf(change.id),
  );
  return findingWithoutPlace(first.desired, {
    code: "webhook-down",
    severity,
    what: `${summarizeList(names, maxNames)}: the admission webhook ${webhook} doesn't answer`,
    why: `The API server rejects ${names.length === 1 ? "this object" : "these objects"} until the webhook answers`,
    fix: "Make sure that the webhook's Service runs and that the API server can reach it, then run again",
  });
}
