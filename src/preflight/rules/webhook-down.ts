import { unavailableWebhook } from "../../model/cluster/api-messages/admission.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/closest.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

interface Refused {
  readonly change: Change;
  readonly isPod: boolean;
}

/** Reports each unavailable webhook once. Each object that the webhook blocks has its own error. */
export function webhookDown({ plan, facts }: PreflightInput): readonly Finding[] {
  const byWebhook = new Map<string, Refused[]>();
  const note = (message: string, refused: Refused) => {
    const webhook = unavailableWebhook({ message });
    if (webhook !== undefined) byWebhook.set(webhook, [...(byWebhook.get(webhook) ?? []), refused]);
  };
  for (const change of plan.changes) {
    const { certainty } = change;
    if (certainty.by === "refused") note(certainty.reason, { change, isPod: false });
    const pod = facts.samplePods.get(change.key);
    if (pod?.ok === false) note(pod.failure.message, { change, isPod: true });
  }
  // An earlier deployment might create the webhook's backend.
  const severity = facts.earlier.length + facts.earlierDeleted.length > 0 ? "warning" : "error";
  return [...byWebhook].map(([webhook, refused]) => findingOf(webhook, refused, severity));
}

function findingOf(
  webhook: string,
  refused: readonly Refused[],
  severity: Finding["severity"],
): Finding {
  const { change: first } = refused[0] as Refused;
  const names = refused.map(({ change, isPod }) =>
    isPod ? `the Pods of ${nameOf(change.id)}` : nameOf(change.id),
  );
  return {
    code: "webhook-down",
    severity,
    object: addressOf(first.desired),
    what: `${summarizeList(names, mostNames)}: the admission webhook ${webhook} doesn't answer`,
    why: `The API server rejects ${names.length === 1 ? "this object" : "these objects"} until the webhook answers`,
    fix: "Make sure that the webhook's Service runs and that the API server can reach it, then run again",
    where: [],
  };
}
