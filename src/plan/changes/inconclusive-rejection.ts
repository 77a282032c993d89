import { type ApiFailure, isMissingPermission } from "../../model/cluster/api/api-failure.ts";
import { mentionsNotFound } from "../../model/cluster/api/messages/api-message.ts";
import {
  isDeniedByAdmission,
  isDryRunUnsupported,
  missingClass,
  rejectingQuota,
  unavailableWebhook,
  unservedWebhook,
} from "../../model/cluster/api/messages/denials.ts";
import { webhookServers } from "../../model/cluster/webhooks.ts";
import type { UpstreamDeployments } from "../../model/deployments/other-deployments.ts";
import type { LiveObjects } from "../../model/deployments/release.ts";
import { idOf, keyOf, nameFromKey, nameOf } from "../../model/object.ts";
import {
  liftingPolicy,
  type NamespacePolicyChange,
} from "../../validation/admission/changed-namespace-policies.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import {
  admissionChangeReason,
  allDependencies,
  changeActor,
  isExisting,
  quotaReleaseReason,
  webhookServerReason,
} from "../upstream-deployments.ts";
import { admissionSubject, expandableClass } from "./namespace-policy-changes.ts";
import { showableFailure } from "./problems/dry-run-problems.ts";

/** The objects that change before another object, and by which the API server judges it. */
export interface PolicyChanges {
  /** The objects that limit the namespace. */
  readonly changedPolicies: () => readonly NamespacePolicyChange[];
  /** The StorageClasses of a PersistentVolumeClaim. */
  readonly changedClasses: () => readonly NamespacePolicyChange[];
}

/** Returns why a rejection isn't about the object itself; undefined if it is. */
export function inconclusiveReason(
  desired: DesiredObject,
  failure: ApiFailure,
  input: PlanInput,
  { changedPolicies, changedClasses }: PolicyChanges,
): string | undefined {
  const {
    rules: { purpose, upstream },
    desired: { foreign },
    observed: { live, server },
  } = input;
  if (isDryRunUnsupported(failure)) {
    return "an admission webhook doesn't support dry runs";
  }
  const missing = firstMissingDependency(desired, input.desired, live, upstream);
  if (missing !== undefined && isAboutMissingObject(failure)) {
    return `it needs ${nameFromKey(missing)}, which is created ${changeActor(missing, upstream)}`;
  }
  const liftedPolicy = liftingPolicy(
    failure,
    changedPolicies(),
    admissionSubject(desired.object, undefined, server),
  );
  const key = liftedPolicy ? keyOf(idOf(liftedPolicy)) : expandableClass(failure, changedClasses);
  if (key !== undefined) {
    return `${nameFromKey(key)}, which decides whether it is allowed, is changed ${changeActor(key, upstream)}`;
  }
  const before = upstreamCause(desired, failure, upstream) ?? ownWebhookReason(failure, input);
  if (before !== undefined) return before;
  if (purpose === "preview" && isMissingPermission(failure)) {
    return showableFailure(failure, desired, foreign.has(desired.key)).message;
  }
  return undefined;
}

/**
 * Returns why a webhook doesn't serve yet: this deployment deploys what serves it. Applying waits
 * for such a webhook (docs/reference/deployment.md#webhooks-that-dont-serve-yet).
 */
function ownWebhookReason(
  failure: ApiFailure,
  { desired, observed }: PlanInput,
): string | undefined {
  const webhook = unservedWebhook(failure);
  if (webhook === undefined) return undefined;
  const [server] = webhookServers(
    webhook,
    desired.objects.map(({ object }) => object),
    (service) => observed.live.get(keyOf({ group: "", kind: "Service", ...service })),
  );
  return (
    server &&
    `the webhook ${webhook.name} doesn't serve yet, and ${nameOf(idOf(server))}, which serves it, belongs to this deployment`
  );
}

/** Returns how an upstream deployment changes the cause of the rejection. */
function upstreamCause(
  { id }: DesiredObject,
  failure: ApiFailure,
  upstream: UpstreamDeployments | undefined,
): string | undefined {
  if (rejectingQuota(failure) !== undefined) return quotaReleaseReason(id.namespace, upstream);
  const admission = isDeniedByAdmission(failure) ? admissionChangeReason(upstream) : undefined;
  const isDown = unavailableWebhook(failure) !== undefined;
  return admission ?? (isDown ? webhookServerReason(upstream) : undefined);
}

function firstMissingDependency(
  desired: DesiredObject,
  links: PlanInput["desired"],
  live: LiveObjects,
  upstream: UpstreamDeployments | undefined,
): string | undefined {
  return allDependencies(desired.key, links).find(({ on }) => !isExisting(on, live, upstream))?.on;
}

/**
 * Reports whether a rejection is about a missing object.
 * The API server answers 403 for a Pod without its ServiceAccount or class, and 404 for a binding
 * without its role.
 */
function isAboutMissingObject(failure: ApiFailure): boolean {
  const { reason } = failure;
  if (reason === "not-found") return true;
  // A policy or a webhook can report that something else isn't found.
  const isMissing = mentionsNotFound(failure) || missingClass(failure) !== undefined;
  return reason === "forbidden" && isMissing && !isDeniedByAdmission(failure);
}
