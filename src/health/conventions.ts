import { findSuspension } from "../model/cluster/suspension.ts";
import { at, isEmpty } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import {
  explainCondition,
  findCondition,
  isAboutCurrentGeneration,
  listConditions,
  listPartConditions,
  outdatedMainCondition,
  outdatedReason,
  type StatusCondition,
} from "./conditions.ts";
import type { HealthState, Judgment } from "./rule.ts";
import { type Evidence, readCounts, readMeaning, readStatusWords } from "./word-meanings.ts";

/**
 * Judges an object of a kind without a rule by the conventions of Kubernetes and of most operators:
 * the names of conditions, and the words in `status.phase` and similar fields
 * (docs/reference/health-rules.md#kinds-without-a-rule).
 * The worst evidence decides, so an object is ready only if nothing contradicts that.
 */
export function judgeByConventions(object: KubeObject): Judgment {
  const conditions = listConditions(object);
  const evidence: readonly Evidence[] = [
    ...readConditions(object, conditions),
    ...listPartConditions(object).flatMap((part) => readConditions(object, part)),
    ...readStatusWords(object),
    ...readCounts(object),
    ...readSuspension(object),
  ];
  const decisive = isReadyCondition(object) ? evidence.filter(isDecisive) : evidence;
  for (const state of bySeverity) {
    const found = decisive.find((each) => each.state === state);
    if (found !== undefined) return { state, reason: found.reason };
  }
  return judgeWithoutEvidence(object, conditions);
}

/** The states in the order in which they decide. */
const bySeverity = ["failed", "progressing", "suspended", "unknown", "ready"] as const;

/** Returns the meanings of the newest condition of each type. Some controllers keep a history. */
function readConditions(
  object: KubeObject,
  conditions: readonly StatusCondition[],
): readonly Evidence[] {
  const newest = new Map<string, StatusCondition>();
  for (const each of conditions) {
    const known = newest.get(each.type);
    if (known === undefined || each.since >= known.since) newest.set(each.type, each);
  }
  return [...newest.values()].flatMap((each) => {
    const meaning = readMeaning(each);
    if (meaning === undefined) return [];
    if (isAboutCurrentGeneration(object, each)) return [meaning];
    const reason = outdatedReason(each.type);
    return [{ state: "progressing", reason, isMain: meaning.isMain } as const];
  });
}

function isReadyCondition(object: KubeObject): boolean {
  return findCondition(object, "Ready")?.status === "True";
}

/**
 * Reports whether evidence counts in addition to a true condition `Ready`.
 * Other aspects, and unknown words, don't contradict it.
 */
function isDecisive({ isMain, state }: Evidence): boolean {
  return isMain && state !== "unknown";
}

function readSuspension(object: KubeObject): readonly Evidence[] {
  const found = findSuspension(object);
  return found === undefined ? [] : [{ state: "suspended", reason: found.why, isMain: true }];
}

function judgeWithoutEvidence(
  object: KubeObject,
  conditions: readonly StatusCondition[],
): Judgment {
  const types = conditions.map(({ type }) => type).slice(0, 5);
  if (types.length > 0) {
    const reason = `no rule for this kind, and its conditions don't show its state (${types.join(", ")})`;
    return { state: "unknown", reason };
  }
  const what = isEmpty(at(object, "status") ?? {}) ? "no status" : "no state in its status";
  return {
    state: "unknown",
    reason: `no rule for this kind, and it reports ${what}`,
    isReported: false,
  };
}

/** Describes why an object has a state, if its rule has no message. */
export function describeState(object: KubeObject, state: HealthState): string {
  if (state !== "suspended" && isEmpty(at(object, "status") ?? {}))
    return "its controller hasn't reported a status yet";
  const outdated = outdatedMainCondition(object);
  if (outdated !== undefined) return outdatedReason(outdated);
  const suspension = state === "suspended" ? findSuspension(object) : undefined;
  if (suspension !== undefined) return suspension.why;
  const conditions = listConditions(object);
  const evidence = [
    ...conditions.flatMap((each) => readMeaning(each) ?? []),
    ...readStatusWords(object),
  ];
  const ready = findCondition(object, "Ready");
  const fallback = ready !== undefined && ready.status !== "True" ? explainCondition(ready) : "";
  return (
    evidence.find((each) => each.state === state && each.reason !== "")?.reason ||
    fallback ||
    evidence.find((each) => each.state !== "ready" && each.reason !== "")?.reason ||
    defaultReasons[state]
  );
}

const defaultReasons: Readonly<Record<HealthState, string>> = {
  ready: "",
  progressing: "its status doesn't show that it is ready yet",
  failed: "its status shows a failure",
  suspended: "its status shows that it is suspended",
  unknown: "its status isn't one that its rule knows",
};
