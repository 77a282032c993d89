import type { JsonObject } from "../model/json.ts";
import { shorten } from "../redaction/graphemes.ts";
import type { ControllerEvent, Outcome } from "./events.ts";

/** One line of the log, as JSON. Its strings are untrusted, so the writer must encode them. */
export type LogLine = JsonObject;

const mostNames = 20;
/** The maximum length of a reason, in characters. A rejection can name hundreds of objects. */
const longestWhy = 4_000;

/**
 * Creates the log of a controller.
 * If a check repeats the previous outcome of a deployment, the log omits it, except for
 * corrections. The metrics count every outcome.
 */
export function createLog(write: (line: LogLine) => void, now: () => string) {
  const told = new Map<string, string>();
  return (event: ControllerEvent): void => {
    const line = logLine(event, now());
    if (event.type === "deployment-dropped") told.delete(event.deployment);
    if (event.type === "reconciled") {
      const text = JSON.stringify(event.outcome);
      const isRepeated = told.get(event.deployment) === text && event.outcome.type !== "corrected";
      told.set(event.deployment, text);
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
      return line("warn", "releases can't be watched in all namespaces: it goes by namespace", {
        watched: event.watched.length,
        namespaces: event.watched.slice(0, mostNames),
        skipped: event.skipped.length,
        skippedNamespaces: event.skipped.slice(0, mostNames),
        why: "list or watch on secrets is not allowed in all namespaces, nor in those that are skipped",
      });
    case "members":
      return event.members.length === 0
        ? line("warn", "stepped down: the Lease of this replica was not renewed in time")
        : line("info", "replicas changed", { replicas: event.members });
    case "lease-trouble":
      return line("warn", "the Lease of this replica could not be renewed", {
        why: shortened(event.why),
      });
    case "watch-trouble":
      return line("warn", "a watch can't go on for now", {
        of: event.of,
        why: shortened(event.why),
      });
    case "deployment-found":
      return line("info", "deployment found", { deployment: event.deployment });
    case "deployment-dropped":
      return line("info", "deployment dropped: deleted, or another replica's now", {
        deployment: event.deployment,
      });
    case "reconciled": {
      const { deployment, outcome, milliseconds, again } = event;
      if (outcome.type === "unchanged") return undefined;
      const common = { deployment, outcome: outcome.type, seconds: milliseconds / 1000 };
      const rest = { ...common, ...detailsOf(outcome), nextSeconds: Math.round(again / 1000) };
      return line(levelOf(outcome), messageOf(outcome), rest);
    }
    case "stopping":
      return line("info", "stopping: what is under way is finished first");
    case "stopped":
      return line("info", "stopped");
  }
}

function levelOf({ type }: Outcome): string {
  if (type === "failed" || type === "refused") return "error";
  return type === "corrected" || type === "overtaken" ? "info" : "warn";
}

function messageOf({ type }: Outcome): string {
  switch (type) {
    case "unchanged":
      return "unchanged";
    case "corrected":
      return "drift corrected";
    case "overtaken":
      return "somebody changed it again while it was corrected";
    case "waiting":
      return "nothing is corrected before it is deployed";
    case "locked":
      return "another run holds the lock";
    case "unreachable":
      return "the API server does not answer";
    case "frozen":
      return "deployments are frozen";
    case "refused":
      return "the correction was refused";
    case "failed":
      return "the correction failed";
    case "stopped":
      return "stopped before the end";
  }
}

function detailsOf(outcome: Outcome): JsonObject {
  const why = "why" in outcome ? { why: shortened(outcome.why) } : {};
  if (!("objects" in outcome)) return why;
  const { objects } = outcome;
  return { objects: objects.length, keys: objects.slice(0, mostNames), ...why };
}

function shortened(why: string): string {
  return shorten(why, longestWhy);
}
