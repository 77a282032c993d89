import type { JsonObject } from "../model/json.ts";
import { shorten } from "../redaction/wrap.ts";
import type { CheckOutcome, ControllerEvent } from "./events.ts";

/** One line of the log, as JSON. Its strings are untrusted, so the writer must encode them. */
export type LogLine = JsonObject;

const maxNames = 20;
/** The maximum length of a reason, in characters. A rejection can name hundreds of objects. */
const maxReasonLength = 4_000;

/**
 * Creates the log of a controller.
 * If a check repeats the previous outcome of a deployment, the log omits it, except for
 * corrections. The metrics count every outcome.
 */
export function createLog(write: (line: LogLine) => void, now: () => string) {
  const lastOutcomes = new Map<string, string>();
  return (event: ControllerEvent): void => {
    const line = logLine(event, now());
    if (event.type === "deployment-dropped") lastOutcomes.delete(event.deployment);
    if (event.type === "reconciled") {
      const text = JSON.stringify(event.outcome);
      const isRepeated =
        lastOutcomes.get(event.deployment) === text && event.outcome.type !== "corrected";
      lastOutcomes.set(event.deployment, text);
      if (isRepeated) return;
    }
    if (line !== undefined) write(line);
  };
}

/**
 * Returns the log line for an event.
 * Returns undefined for a check without a change, which is the most frequent event.
 */
export function logLine(event: ControllerEvent, time: string): LogLine | undefined {
  const line = (level: string, msg: string, rest: JsonObject = {}) => ({
    time,
    level,
    msg,
    ...rest,
  });
  switch (event.type) {
    case "started":
      return line("info", "started", { identity: event.identity });
    case "namespaces":
      return line("warn", "can't watch releases in all namespaces; watching single namespaces", {
        watched: event.watched.length,
        namespaces: event.watched.slice(0, maxNames),
        skipped: event.skipped.length,
        skippedNamespaces: event.skipped.slice(0, maxNames),
        why: "this identity isn't allowed to list or watch Secrets in all namespaces, or in the skipped namespaces",
      });
    case "members":
      return event.members.length === 0
        ? line("warn", "stepped down: the Lease of this replica wasn't renewed in time")
        : line("info", "replicas changed", { replicas: event.members });
    case "lease-trouble":
      return line("warn", "can't renew or list the Leases of the replicas", {
        why: shortenReason(event.why),
      });
    case "watch-trouble":
      return line("warn", "a watch was interrupted; retrying later", {
        of: event.of,
        why: shortenReason(event.why),
      });
    case "deployment-found":
      return line("info", "deployment found", { deployment: event.deployment });
    case "deployment-dropped":
      return line("info", "deployment dropped: deleted, or owned by another replica", {
        deployment: event.deployment,
      });
    case "reconciled": {
      const { deployment, outcome, milliseconds, again } = event;
      if (outcome.type === "unchanged") return undefined;
      const common = { deployment, outcome: outcome.type, seconds: milliseconds / 1000 };
      const rest = { ...common, ...outcomeDetails(outcome), nextSeconds: Math.round(again / 1000) };
      return line(logLevel(outcome), logMessage(outcome), rest);
    }
    case "stopping":
      return line("info", "stopping after the checks in progress");
    case "stopped":
      return line("info", "stopped");
  }
}

function logLevel({ type }: CheckOutcome): string {
  if (type === "failed" || type === "refused") return "error";
  return type === "corrected" || type === "overtaken" ? "info" : "warn";
}

function logMessage({ type }: CheckOutcome): string {
  switch (type) {
    case "unchanged":
      return "unchanged";
    case "corrected":
      return "drift corrected";
    case "overtaken":
      return "another client changed the object during the correction";
    case "waiting":
      return "waiting for a release that succeeds";
    case "locked":
      return "another run holds the deployment lock";
    case "unreachable":
      return "the API server doesn't answer";
    case "frozen":
      return "deployments are frozen";
    case "refused":
      return "the correction was blocked";
    case "failed":
      return "the correction failed";
    case "stopped":
      return "the check was canceled";
  }
}

function outcomeDetails(outcome: CheckOutcome): JsonObject {
  const why = "why" in outcome ? { why: shortenReason(outcome.why) } : {};
  if (!("objects" in outcome)) return why;
  const { objects } = outcome;
  return { objects: objects.length, keys: objects.slice(0, maxNames), ...why };
}

function shortenReason(why: string): string {
  return shorten(why, maxReasonLength);
}
