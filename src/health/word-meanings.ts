import { at, isList, isObject, type Json, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { explainCondition, type StatusCondition, showMessage } from "./conditions.ts";

/** Fields that contain one word for the state of the whole object. */
const mainFields = /^(phase|state|status|health|currentState|currentPhase|overallStatus)$/;

/** Fields that contain one word for the state of a part, such as `lastOperationStatus`. */
const partFields = /(phase|state|status|health|result)$/i;

/** Lists of earlier states, and of conditions, which have another form. */
const otherLists = /history|conditions|events|previous|attempts|revisions/i;

/** Words in the order of their test. A word with two meanings has the one that isn't ready. */
const meanings: readonly (readonly [RegExp, Evidence["state"]])[] = [
  [
    /fail|error|invalid|degraded|unhealthy|crash|reject|denied|broken|abort|time[-_ ]?out|timed[-_ ]?out|stalled|cancell?ed|conflict|expired|unrecoverable|unschedulable|evicted|not[-_ ]?found|missing|unavailable|exceeded|^err|^(lost|dead|down|red|deleted)$/i,
    "failed",
  ],
  [/^(suspended|paused|stopped|hibernated|halted|shutdown|sleeping)$/i, "suspended"],
  [
    /^(ready|running|active|bound|succeeded|success|successful|successfully|healthy|available|completed?|done|deployed|installed|provisioned|established|online|up|ok|synced|in[-_ ]?sync|synchronized|reconciled|applied|enabled|connected|normal|green|stable|serving|attached|up[-_ ]?to[-_ ]?date|published|operational|working|ensured|issued|true)$/i,
    "ready",
  ],
  [
    /ing$|^(pending|queued|new|created|init|initial|initialized|started|scheduled|accepted|requested|submitted|not[-_ ]?ready|unready|in[-_ ]?progress|yellow|preparing|false)$/i,
    "progressing",
  ],
];

/** Kinds that do work and end. They are running before they are done. */
const taskKinds =
  /(Job|Run|Task|Workflow|Backup|Restore|Migration|Test|Build|Execution|Analysis|Import|Export|Copy|Scan|Request|Operation|Benchmark|Snapshot)$/;

/** Returns the meanings of the words in an object's status, and in the parts of the status. */
export function readStatusWords(object: KubeObject): readonly Evidence[] {
  const status = at(object, "status");
  if (!isObject(status)) return [];
  return Object.entries(status).flatMap(([name, value]) => {
    if (typeof value === "string") return readField(object, [name], value);
    if (isList(value)) return otherLists.test(name) ? [] : readItems(object, name, value);
    if (!isObject(value) || !partFields.test(name)) return [];
    return Object.entries(value).flatMap(([part, text]) =>
      typeof text === "string" ? readField(object, [name, part], text) : [],
    );
  });
}

/** The maximum number of items to read. Any number of them can be in a status. */
const maxItems = 100;

/** Returns the items that aren't ready. Ready items don't show that the whole object is. */
function readItems(object: KubeObject, name: string, items: readonly Json[]): readonly Evidence[] {
  return items
    .slice(0, maxItems)
    .flatMap((item) =>
      ["phase", "state", "health"].flatMap((field) =>
        readField(object, [name, field], textAt(item, field) ?? ""),
      ),
    )
    .filter(({ state }) => state !== "ready" && state !== "unknown");
}

function readField(object: KubeObject, path: readonly string[], word: string): readonly Evidence[] {
  const name = path.at(-1) ?? "";
  const isMain = mainFields.test(name);
  if (word === "" || (!isMain && !partFields.test(name))) return [];
  const found = readWord(object, path, word);
  return found.state === "unknown" && !isMain ? [] : [found];
}

/** Returns the state that a word in a status means. */
export function meaningOfWord(word: string): Evidence["state"] {
  return meanings.find(([pattern]) => pattern.test(word))?.[1] ?? "unknown";
}

function readWord(object: KubeObject, path: readonly string[], word: string): Evidence {
  const found = meaningOfWord(word);
  const isBusy = /^(running|active|working)$/i.test(word) && taskKinds.test(object.kind);
  const state = isBusy ? "progressing" : found;
  if (state === "ready") return { state, reason: "", isMain: true };
  const reason = `status.${path.join(".")} is ${describeWord(word)}`;
  return {
    state,
    reason: [reason, statusMessage(object)].filter(Boolean).join(": "),
    isMain: true,
  };
}

function describeWord(word: string): string {
  const shown = showMessage(word);
  return shown.length > maxWordLength ? `${shown.slice(0, maxWordLength)}…` : shown;
}

const maxWordLength = 100;

function statusMessage(object: KubeObject): string {
  const fields = ["message", "reason", "error", "errorMessage", "failureMessage"];
  const text = fields.map((name) => textAt(object, "status", name)).find(Boolean);
  return text === undefined ? "" : showMessage(text);
}

/** Returns the evidence of booleans such as `status.ready`, and of the number of replicas. */
export function readCounts(object: KubeObject): readonly Evidence[] {
  const status = at(object, "status");
  const flags = ["ready", "healthy", "available", "readyToUse"].flatMap((name) => {
    const value = at(status, name);
    return typeof value === "boolean" ? [judge(value, `status.${name} is false`)] : [];
  });
  const desired = numberAt(object, "spec", "replicas");
  const counts = ["readyReplicas", "updatedReplicas", "availableReplicas"].flatMap((name) => {
    const count = numberAt(status, name);
    if (desired === undefined || count === undefined) return [];
    return [judge(count >= desired, `status.${name} is ${count} of ${desired}`)];
  });
  return [...flags, ...counts];
}

function judge(isReady: boolean, reason: string): Evidence {
  return isReady
    ? { state: "ready", reason: "", isMain: false }
    : { state: "progressing", reason, isMain: false };
}

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
