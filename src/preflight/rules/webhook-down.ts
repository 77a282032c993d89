import { unavailableWebhook, unservedWebhook } from "../../model/cluster/api/messages/denials.ts";
import { changesWebhook, webhookServers } from "../../model/cluster/webhooks.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

const maxNames = 3;

interface WebhookRejection {
  readonly change: Change;
  readonly isPod: boolean;
  /** The objects of this deployment that serve the webhook. */
  readonly servers: readonly KubeObject[];
  /** True if this deployment changes the webhook before it writes the object. */
  readonly isChangedBefore: boolean;
}

/** Reports each unavailable webhook once. Each object that the webhook blocks has its own error. */
export function webhookDown({ plan, facts }: PreflightInput): readonly Finding[] {
  const byWebhook = new Map<string, WebhookRejection[]>();
  const addRejection = (message: string, rejected: Pick<WebhookRejection, "change" | "isPod">) => {
    const webhook = unavailableWebhook({ message });
    if (webhook === undefined) return;
    const servers = ownServers(message, plan.changes);
    const isChangedBefore =
      rejected.change.stage === "app" && isChangedInSetup(webhook, plan.changes);
    const rejection = { ...rejected, servers, isChangedBefore };
    byWebhook.set(webhook, [...(byWebhook.get(webhook) ?? []), rejection]);
  };
  for (const change of plan.changes) {
    const { certainty } = change;
    if (certainty.by === "refused") addRejection(certainty.reason, { change, isPod: false });
    const pod = facts.samplePods.get(change.key);
    if (pod?.ok === false) addRejection(pod.failure.message, { change, isPod: true });
  }
  // An earlier deployment might create the webhook's backend.
  const isOfUpstream = facts.upstreamChanges.length + facts.upstreamDeletions.length > 0;
  return [...byWebhook].map(([webhook, rejections]) => {
    const severity = isOfUpstream || isServedLater(rejections) ? "warning" : "error";
    return webhookFinding(webhook, rejections, severity);
  });
}

function ownServers(message: string, changes: readonly Change[]): readonly KubeObject[] {
  const webhook = unservedWebhook({ message });
  const objects = changes.map(({ desired }) => desired);
  return webhook === undefined ? [] : webhookServers(webhook, objects, () => undefined);
}

/**
 * Reports whether appSetup changes the declaration of a webhook. Webhooks are last in their stage.
 */
function isChangedInSetup(webhook: string, changes: readonly Change[]): boolean {
  return changes.some(
    ({ stage, action, desired, live }) =>
      stage === "appSetup" && action !== "unchanged" && changesWebhook(webhook, desired, live),
  );
}

/**
 * Reports whether this deployment starts the webhook, or changes it before. Controllers then create
 * the rejected Pods later, but never if these Pods serve the webhook themselves.
 */
function isServedLater(rejections: readonly WebhookRejection[]): boolean {
  return rejections.every(({ change, isPod, servers, isChangedBefore }) => {
    if (isChangedBefore) return true;
    const isServer = servers.some((server) => keyOf(idOf(server)) === change.key);
    return isPod && servers.length > 0 && !isServer;
  });
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
