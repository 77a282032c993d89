import { at, isList, isObject, type Json, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Evidence } from "./condition-meaning.ts";
import { showMessage } from "./conditions.ts";

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
