import { type ChangedGround, liftedBy } from "../../admission/changed-grounds.ts";
import { type ApiFailure, isMissingPermission } from "../../model/cluster/api-failure.ts";
import {
  isDeniedByAdmission,
  isDryRunUnsupported,
  missingClass,
  unavailableWebhook,
} from "../../model/cluster/api-messages/admission.ts";
import { rejectingQuota } from "../../model/cluster/api-messages/namespace-rules.ts";
import { mentionsNotFound } from "../../model/cluster/api-messages/state.ts";
import { idOf, keyOf, nameFromKey } from "../../model/object.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { UpstreamDeployments } from "../../model/upstream-deployments.ts";
import type { DesiredObject } from "../declared/objects.ts";
import {
  byWhom,
  changedAdmission,
  changedServers,
  givenBack,
  isThere,
  waitedFor,
} from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";
import { subjectOf } from "./changed-ground.ts";
import { growthAllowedBy } from "./changed-growth.ts";
import { showable } from "./problems/dry-run-problems.ts";

/** The objects that change before another object, and by which the API server judges it. */
export interface Grounds {
  /** The objects that limit the namespace. */
  readonly changedGrounds: () => readonly ChangedGround[];
  /** The StorageClasses of a PersistentVolumeClaim. */
  readonly changedClasses: () => readonly ChangedGround[];
}

/** Returns why a rejection isn't about the object itself; undefined if it is. */
export function whyNoAnswer(
  desired: DesiredObject,
  failure: ApiFailure,
  input: PlanInput,
  { changedGrounds, changedClasses }: Grounds,
): string | undefined {
  const {
    rules: { purpose, earlier },
    desired: { foreign },
    observed: { live },
  } = input;
  if (isDryRunUnsupported(failure)) {
    return "an admission webhook doesn't support dry runs";
  }
  const missing = firstMissing(desired, input.desired, live, earlier);
  if (missing !== undefined && isAboutAbsence(failure)) {
    return `it needs ${nameFromKey(missing)}, which is created ${byWhom(missing, earlier)}`;
  }
  const ground = liftedBy(failure, changedGrounds(), subjectOf(desired.object, undefined));
  const key = ground ? keyOf(idOf(ground)) : growthAllowedBy(failure, changedClasses);
  if (key !== undefined) {
    return `${nameFromKey(key)}, which decides whether it is allowed, is changed ${byWhom(key, earlier)}`;
  }
  const before = changedBefore(desired, failure, earlier);
  if (before !== undefined) return before;
  if (purpose === "preview" && isMissingPermission(failure)) {
    return showable(failure, desired, foreign.has(desired.key)).message;
  }
  return undefined;
}

/** Returns how an upstream deployment changes the cause of the rejection. */
function changedBefore(
  { id }: DesiredObject,
  failure: ApiFailure,
  earlier: UpstreamDeployments | undefined,
): string | undefined {
  if (rejectingQuota(failure) !== undefined) return givenBack(id.namespace, earlier);
  const admission = isDeniedByAdmission(failure) ? changedAdmission(earlier) : undefined;
  const isDown = unavailableWebhook(failure) !== undefined;
  return admission ?? (isDown ? changedServers(earlier) : undefined);
}

function firstMissing(
  desired: DesiredObject,
  links: PlanInput["desired"],
  live: LiveObjects,
  earlier: UpstreamDeployments | undefined,
): string | undefined {
  return waitedFor(desired.key, links).find(({ on }) => !isThere(on, live, earlier))?.on;
}

/**
 * Reports whether a rejection is about a missing object.
 * The API server answers 403 for a Pod without its ServiceAccount or class, and 404 for a binding
 * without its role.
 */
function isAboutAbsence(failure: ApiFailure): boolean {
  const { reason } = failure;
  if (reason === "not-found") return true;
  // A policy or a webhook can report that something else isn't found.
  const isMissing = mentionsNotFound(failure) || missingClass(failure) !== undefined;
  return reason === "forbidden" && isMissing && !isDeniedByAdmission(failure);
}
