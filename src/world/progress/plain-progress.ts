import type { DeployEvent } from "../../model/deployments/event.ts";
import { elapsedText } from "../../model/text/duration.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { noPaint, plainText, terminal, withPrefix } from "../../redaction/terminal.ts";
import { blanks } from "../../redaction/wrap.ts";
import {
  type DeployProgress,
  initialProgress,
  isRunning,
  updateProgress,
} from "../../report/terminal/deploy-progress.ts";
import { eventLine } from "../../report/terminal/event-line.ts";
import { renderSummary } from "../../report/terminal/render-summary.ts";
import type { ProgressSettings, TerminalProgress } from "./progress.ts";

/**
 * The interval of lines during a wait. It keeps logs short, but shows that the run doesn't hang.
 */
const heartbeatMs = 30_000;

/** The time in which an object can become ready without a line that shows its reason to wait. */
const patienceMs = 2_000;

/**
 * The minimum time between two reasons of one object, because a large rollout has a new reason for
 * every Pod.
 */
const reasonEveryMs = 10_000;

/**
 * Prints plain lines.
 * Slow operations print their reasons, and a line every 30 s while they run. Everything else prints
 * one line.
 * On GitHub, whose log can fold groups, the lines of a stage form a group. If several deployments
 * run at once, each line starts with the deployment's name.
 */
export function createPlainProgress(settings: ProgressSettings): TerminalProgress {
  const { stream, nameOf, now, groups } = settings;
  let progress = initialProgress(now());
  let lastLine = now();
  let grouped = false;
  const reasons = createReasons(now);
  const begin = settings.name === undefined ? terminal`` : terminal`${plainText(settings.name)}: `;

  function write(text: TerminalText): void {
    lastLine = now();
    const time = plainText(elapsedText(lastLine - progress.started));
    stream.write(terminal`[${blanks(7 - time.length)}${time}] ${begin}${text}\n`);
  }

  /**
   * Opens a log group and closes the previous one.
   * Group names are from qvs. Every other line starts with a time, before any untrusted text.
   */
  function group(name: TerminalText | undefined): void {
    if (!groups) return;
    if (grouped) stream.write(terminal`::endgroup::\n`);
    if (name !== undefined) stream.write(terminal`::group::${name}\n`);
    grouped = name !== undefined;
  }

  let timer = start();

  function start() {
    const begun = setInterval(beat, 1000);
    begun.unref();
    return begun;
  }

  function beat(): void {
    for (const { key, why } of reasons.due()) {
      if (isWaiting(progress, key)) write(eventLine({ type: "waiting", key, why }, nameOf));
    }
    const text = heartbeat(progress, now(), nameOf);
    if (text !== undefined && now() - lastLine >= heartbeatMs) write(text);
  }

  /**
   * Reports whether an event gets a line.
   * An object that is ready at once gets only one line, because a line for each event would triple
   * the log.
   */
  function isShown(event: DeployEvent): boolean {
    if (event.type === "preparing") return false;
    if (event.type === "applying") return event.transfers !== undefined;
    if (event.type === "ready") return event.notice !== undefined || reasons.has(event.key);
    return event.type === "waiting" ? reasons.shouldPrint(event) : true;
  }

  return {
    report(event) {
      const shown = isShown(event);
      if (event.type === "stage-started") group(terminal`Stage ${plainText(event.stage)}`);
      if (event.type === "deleting" && progress.section !== "deletions") group(terminal`Deletions`);
      progress = updateProgress(progress, event, now());
      if (event.type === "going-back") timer = start();
      if (event.type === "finished") {
        clearInterval(timer);
        group(undefined);
        const summary = renderSummary(progress, now(), nameOf, noPaint);
        stream.write(terminal`${withPrefix(begin, summary)}\n`);
      } else if (shown && !(groups && event.type === "stage-started")) {
        write(eventLine(event, nameOf));
      }
    },
    close: () => {
      clearInterval(timer);
      group(undefined);
    },
  };
}

function isWaiting({ objects }: DeployProgress, key: string): boolean {
  const object = objects.get(key);
  return object !== undefined && isRunning(object);
}

type WaitingEvent = Extract<DeployEvent, { readonly type: "waiting" }>;

interface ReasonSchedule {
  /**
   * Reports whether to print a reason now.
   * Otherwise it becomes due later, unless a newer reason replaces it. The first error of an object
   * is never delayed, because it shows that something is wrong.
   */
  shouldPrint(event: WaitingEvent): boolean;
  has(key: string): boolean;
  /** Returns the newest reasons of the objects whose delay has ended. */
  due(): readonly { readonly key: string; readonly why: string }[];
}

function createReasons(now: () => number): ReasonSchedule {
  const firstSeen = new Map<string, number>();
  const printed = new Map<string, number>();
  const delayed = new Map<string, string>();
  const troubled = new Set<string>();
  const isWithin = (milliseconds: number, time = Number.NEGATIVE_INFINITY) =>
    now() - time < milliseconds;
  const isQuiet = (key: string) =>
    isWithin(patienceMs, firstSeen.get(key)) || isWithin(reasonEveryMs, printed.get(key));
  return {
    shouldPrint({ key, why, isTrouble = false }) {
      const isFirstTrouble = isTrouble && !troubled.has(key);
      if (isFirstTrouble) troubled.add(key);
      if (!firstSeen.has(key)) firstSeen.set(key, now());
      if (isQuiet(key) && !isFirstTrouble) {
        delayed.set(key, why);
        return false;
      }
      delayed.delete(key);
      printed.set(key, now());
      return true;
    },
    has: (key) => printed.has(key),
    due() {
      const ready = [...delayed].filter(([key]) => !isQuiet(key));
      for (const [key] of ready) {
        delayed.delete(key);
        printed.set(key, now());
      }
      return ready.map(([key, why]) => ({ key, why }));
    },
  };
}

const namesInHeartbeat = 5;

/**
 * Returns `Still waiting for Deployment shop/web (1m 30s, 2/3 ready)`; undefined if nothing is in
 * progress.
 */
function heartbeat(
  progress: DeployProgress,
  now: number,
  nameOf: (key: string) => string,
): TerminalText | undefined {
  const running = [...progress.objects.values()].filter(isRunning);
  if (progress.lockHolder !== undefined && running.length === 0) {
    return terminal`Still waiting for the deployment lock, held by ${plainText(progress.lockHolder)}`;
  }
  if (progress.preparing === "reading") return terminal`Still reading the cluster`;
  if (progress.preparing !== undefined) return terminal`Still ${plainText(progress.preparing)}`;
  if (running.length === 0) return undefined;
  const oldest = running.toSorted((a, b) => a.since - b.since);
  const texts = oldest.map(({ key, since, why }) => {
    const details = [plainText(elapsedText(now - since)), plainText(why)].filter(
      (text) => text !== "",
    );
    return terminal`${plainText(nameOf(key))} (${joined(details, ", ")})`;
  });
  return terminal`Still waiting for ${plainText(summarizeList(texts, namesInHeartbeat))}`;
}
