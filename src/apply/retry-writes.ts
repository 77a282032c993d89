import type { ApiFailure } from "../model/cluster/api/api-failure.ts";
import { isValueTaken } from "../model/cluster/api/messages/api-message.ts";
import {
  denyingPolicyKeys,
  isDeniedByAdmission,
  isExpansionDenied,
  isNamespaceRuleDenial,
  isQuotaExceeded,
  missingClass,
} from "../model/cluster/api/messages/denials.ts";
import { boundPolicies, isParameter } from "../model/cluster/policy-parameters.ts";
import {
  governedNamespace,
  isAdmissionConfiguration,
  isNamespacePolicy,
  isPodClass,
  isStorageClass,
} from "../model/governors.ts";
import { textAt } from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import { idOf, type KubeObject, keyOf } from "../model/object.ts";
import type { Change } from "../model/plan/plan.ts";
import type { Clock } from "../ports/clock.ts";
import { definedKinds } from "./readiness/await-crd-served.ts";
import type { UpsertContext } from "./upsert/upsert.ts";

/** Objects that this run writes and that the API server uses only a moment after the write. */
export interface PropagatingWrites {
  /** The kinds, as `group/Kind`, that this run defines. */
  readonly kinds: ReadonlySet<string>;
  /** The namespaces whose labels, LimitRanges or quotas this run writes. */
  readonly policyNamespaces: ReadonlySet<string>;
  /** The names of PriorityClasses and RuntimeClasses. */
  readonly classes: ReadonlySet<string>;
  /** The names of StorageClasses. */
  readonly storageClasses: ReadonlySet<string>;
  /**
   * The keys of existing admission policies and bindings, and of those with changed parameters. The
   * API server reloads them each second.
   */
  readonly policies: ReadonlySet<string>;
}

export function findPropagatingWrites(changes: readonly Change[]): PropagatingWrites {
  const written = changes.filter(({ action }) => action !== "unchanged");
  const ids = written.map(({ id }) => id);
  const existing = written.filter(({ live }) => live !== undefined).map(({ id }) => id);
  return {
    kinds: definedKinds(changes),
    policyNamespaces: new Set(ids.filter(isNamespacePolicy).map(governedNamespace)),
    classes: new Set(ids.filter(isPodClass).map(({ name }) => name)),
    storageClasses: new Set(ids.filter(isStorageClass).map(({ name }) => name)),
    policies: new Set([
      ...existing.filter(isAdmissionConfiguration).map(keyOf),
      ...bindingsOfParameters(changes, written),
    ]),
  };
}

/** Lists the bindings whose policies read a written object as a parameter. */
function bindingsOfParameters(
  changes: readonly Change[],
  written: readonly Change[],
): readonly string[] {
  return boundPolicies(changes.map(({ desired }) => desired))
    .filter((bound) => written.some(({ desired }) => isParameter(desired, bound)))
    .map(({ binding }) => keyOf(idOf(binding)));
}

/**
 * Returns the outdated state by which the API server might have rejected an object.
 * qvs then repeats the request for a moment.
 */
function refusedByStaleCache(
  failure: ApiFailure,
  { id, action, desired }: Change,
  { kinds, policyNamespaces, classes, storageClasses, policies }: PropagatingWrites,
): "definition" | "deleted object" | "rules" | undefined {
  if (kinds.has(kindKey(id)) && isAboutCrd(failure)) return "definition";
  if (policyNamespaces.has(id.namespace) && isNamespaceRuleDenial(failure)) return "rules";
  if (isDeniedByPolicies(policies, failure)) return "rules";
  if (isExpansionDenied(failure) && storageClasses.has(storageClassName(desired))) return "rules";
  if (action === "replace" && isAboutDeletedObject(failure)) return "deleted object";
  return classes.has(missingClass(failure)?.name ?? "") ? "rules" : undefined;
}

/**
 * Reports whether the server can have counted the object that this run deleted before.
 * A quota counts it until its controller has processed the deletion. A Service keeps its node ports
 * and addresses until the garbage collector's request ends, some time after the object is gone
 * (`afterDelete` in the Service storage of Kubernetes).
 */
function isAboutDeletedObject(failure: ApiFailure): boolean {
  return isQuotaExceeded(failure) || isValueTaken(failure);
}

function storageClassName(claim: KubeObject): string {
  return textAt(claim, "spec", "storageClassName") ?? "";
}

function isDeniedByPolicies(policies: ReadonlySet<string>, failure: ApiFailure): boolean {
  return [failure, ...failure.causes].flatMap(denyingPolicyKeys).some((key) => policies.has(key));
}

/** Reports whether a rejection is about the kind itself or about new fields of its definition. */
function isAboutCrd(failure: ApiFailure): boolean {
  const isUnknown = failure.reason === "unknown-kind" || failure.reason === "not-found";
  return isUnknown || (failure.reason === "invalid" && !isDeniedByAdmission(failure));
}

/**
 * Returns a rejection, with a retry if the API server might still use its state before this run.
 */
export function retryStaleAdmission<T extends { readonly ok: false; readonly failure: ApiFailure }>(
  answer: T,
  change: Change,
  context: UpsertContext,
): WriteAttempt<T> {
  const staleCause = refusedByStaleCache(answer.failure, change, context.propagating);
  if (staleCause === undefined) return { answer };
  const prepareRetry = () => pauseBeforeRetry(context);
  if (staleCause === "rules") return { answer, prepareRetry };
  if (staleCause === "deleted object")
    return { answer, prepareRetry, maxRetries: deletionPropagationMs / pauseMs };
  context.cluster.forgetKinds();
  return { answer, prepareRetry, maxRetries: crdPropagationMs / pauseMs };
}

const pauseMs = 500;

/**
 * The retry time after a definition changed.
 * A busy API server computes the schema of a large definition only seconds after the write.
 */
const crdPropagationMs = 30_000;

/**
 * The retry time after a replacement exceeded a quota, or needs a value of the deleted object.
 * The quota controller sees a deletion at once, but counts nothing while it discovers new kinds. It
 * gives up the discovery after 30 s. Until then the replaced object doesn't exist, and an early
 * failure would leave it missing. Counting usually takes some 100 ms, but it took nearly 30 s after
 * a CRD was deleted (Kubernetes 1.36).
 */
const deletionPropagationMs = 60_000;

export interface RetryContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Waits before a retry. An aborted wait isn't a failure: the caller checks the signal. */
export async function pauseBeforeRetry({ clock, signal }: RetryContext): Promise<undefined> {
  try {
    await clock.sleep(pauseMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** One attempt at a write that another client can interfere with. */
export interface WriteAttempt<T> {
  readonly answer: T;
  /**
   * Set only if another client's write caused the failure.
   * Prepares the next attempt, or returns the final answer if a retry is pointless.
   */
  readonly prepareRetry?: () => Promise<T | undefined>;
  /** The maximum number of retries (default: `defaultRetries`). */
  readonly maxRetries?: number;
}

const defaultRetries = 10;

/** Repeats a write as long as it fails only because another client wrote at the same time. */
export async function retryConflicts<T>(
  signal: AbortSignal,
  attempt: () => Promise<WriteAttempt<T>>,
): Promise<T> {
  for (let attempts = 0; ; attempts += 1) {
    const { answer, prepareRetry, maxRetries = defaultRetries } = await attempt();
    if (prepareRetry === undefined || attempts >= maxRetries || signal.aborted) return answer;
    const final = await prepareRetry();
    if (final !== undefined) return final;
  }
}
