import { explainCondition, type StatusCondition } from "./conditions.ts";

/** A part of the evidence for the state of an object. */
export interface Evidence {
  readonly state: "ready" | "progressing" | "failed" | "suspended" | "unknown";
  readonly reason: string;
  /**
   * False if the evidence is about one aspect, and the condition `Ready` decides about the whole.
   */
  readonly isMain: boolean;
}

/** Types that report a problem when true: `Degraded`, `ReconcileError`, `NotReady`. */
const problemTypes =
  /^partial|(fail(ed|ures?|ing)?|errors?|errored|degraded|stalled|un(healthy|available|reachable|schedulable)|not[-_]?(ready|available|healthy)|invalid|pressure|conflict(ed|s)?|denied|rejected|exceeded|misconfigured|crash(ed|ing|loop|loopbackoff)?)$/i;

/** Types that report work in progress when true. */
const progressTypes =
  /(reconciling|progressing|updating|upgrading|creating|deleting|terminating|pending|installing|provisioning|initializing|initialising|scaling|deploying|inprogress|in[-_]progress|rollingout|restarting|restoring|resizing|migrating|issuing|waiting)$/i;

/** Types that report the whole object as ready when true, and never when false. */
const mainTypes =
  /^(ready|available|healthy|succeeded|successful|synced|synchronized|established|complete|completed|programmed|accepted|reconciled|reconciliationsucceeded|deployed|installed|applied|provisioned|valid|resolvedrefs|up[-_]?to[-_]?date)$/i;

/** Types that report one aspect as ready when true, such as `BackupReady`. */
const aspectTypes =
  /(ready|available|healthy|succeeded|successful|success|synced|synchronized|established|completed?|programmed|accepted|reconciled|deployed|installed|applied|provisioned|valid|validated|bound|connected|configured|running|active|initialized|initialised|scheduled|created|serving|reachable|attached|online|joined|registered|published|issued)$/i;

/** Reasons of a condition that a retry alone rarely changes. */
const failureReasons =
  /fail|error|invalid|denied|forbidden|unauthori[sz]ed|not[-_]?found|missing|unhealthy|time[-_]?out|timed[-_]?out|deadline|degraded|crash|rejected|conflict|misconfig|cannot|unable|exceeded|broken|unsupported/i;

/** Reasons of a true `Progressing` after the work is done, as in a Deployment. */
const doneReasons = /(available|completed?|succeeded|successful|ready|asexpected|updated)$/i;

/** Reasons of a condition whose work isn't done, although it is true. */
const busyReasons = /^(running|reconciling|in[-_]?progress|pending|waiting|partial\w*)$/i;

/**
 * Returns the meaning of a true condition about the whole object; undefined for an unknown type, or
 * one about an aspect.
 */
export function meaningOfType(type: string): "failed" | "progressing" | "ready" | undefined {
  if (problemTypes.test(type)) return "failed";
  if (progressTypes.test(type)) return "progressing";
  return mainTypes.test(type) ? "ready" : undefined;
}

/** Returns the meaning of a condition by its name; undefined for an unknown type. */
export function readMeaning(found: StatusCondition): Evidence | undefined {
  const { type, status } = found;
  const isTrue = /^true$/i.test(status);
  const isFalse = /^false$/i.test(status);
  const reason = explainCondition(found);
  const hasFailed = isFalse && failureReasons.test(found.reason);
  if (problemTypes.test(type)) {
    return isTrue ? { state: "failed", reason, isMain: true } : undefined;
  }
  if (progressTypes.test(type)) {
    if (hasFailed) return { state: "failed", reason, isMain: true };
    const isDone = isTrue ? doneReasons.test(found.reason) : isFalse;
    return isDone ? undefined : { state: "progressing", reason, isMain: true };
  }
  const isMain = mainTypes.test(type);
  if (!isMain && !aspectTypes.test(type)) return undefined;
  const endedBadly = /complete/i.test(type) && isTrue && failureReasons.test(found.reason);
  if (hasFailed || endedBadly) return { state: "failed", reason, isMain };
  const isReady = isTrue && !busyReasons.test(found.reason);
  return isReady
    ? { state: "ready", reason: "", isMain }
    : { state: "progressing", reason, isMain };
}
