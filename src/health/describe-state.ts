import { findSuspension } from "../model/cluster/suspension.ts";
import { at, isEmpty } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { readMeaning } from "./condition-meaning.ts";
import {
  explainCondition,
  findCondition,
  listConditions,
  outdatedMainCondition,
  outdatedReason,
} from "./conditions.ts";
import type { HealthState } from "./rule.ts";
import { readStatusWords } from "./status-words.ts";

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
