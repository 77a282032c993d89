import type { DeployEvent } from "../../model/event.ts";
import { listed } from "../../model/text/closest.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { plainText, terminal, withPrefix } from "../../redaction/terminal.ts";
import { blanks } from "../../redaction/wrap.ts";
import {
  type DeployProgress,
  isRunning,
  noProgress,
  withEvent,
} from "../../report/terminal/deploy-progress.ts";
import { elapsedText } from "../../report/terminal/elapsed.ts";
import { lineFor } from "../../report/terminal/line-for.ts";
import { noPaint } from "../../report/terminal/paint.ts";
import { renderSummary } from "../../report/terminal/render-summary.ts";
import type { ProgressSettings, TerminalProgress } from "./progress.ts";

/** Long enough not to fill a log, short enough that nobody mistakes waiting for hanging. */
const heartbeatMs = 30_000;

/** What is ready sooner needs no line that says what it waits for. */
const patienceMs = 2_000;

/** A rollout of many replicas changes its reason with every Pod; the log gets at most one within so many milliseconds. */
const reasonEveryMs = 10_000;

/**
 * Plain lines: for what takes time, its reasons and every 30 s that it still runs; for everything else one line each.
 * On GitHub, whose log can fold groups, the lines of a stage form a group. Where several are shown at once, each line has its name.
 */
export function createPlainProgress(settings: ProgressSettings): TerminalProgress {
  const { stream, nameOf, now, groups } = settings;
  let progress = noProgress(now());
  let lastLine = now();
  let grouped = false;
  const reasons = createReasons(now);
  const begin = settings.name === undefined ? terminal`` : terminal`${plainText(settings.name)}: `;

  function write(text: TerminalText): void {
    lastLine = now();
    const time = plainText(elapsedText(lastLine - progress.started));
    stream.write(terminal`[${blanks(7 - time.length)}${time}] ${begin}${text}\n`);
  }

  /** The names of groups are ours; all other lines begin with a time, before any text from elsewhere. */
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
      if (isWaiting(progress, key)) write(lineFor({ type: "waiting", key, why }, nameOf));
    }
    const text = heartbeat(progress, now(), nameOf);
    if (text !== undefined && now() - lastLine >= heartbeatMs) write(text);
  }

  /** One line for an object that is ready at once: lines for each of its events would only triple the log. */
  function isShown(event: DeployEvent): boolean {
    if (event.type === "preparing") return false;
    if (event.type === "applying") return event.transfers !== undefined;
    if (event.type === "ready") return event.notice !== undefined || reasons.has(event.key);
    return event.type === "waiting" ? reasons.tell(event) : true;
  }

  return {
    report(event) {
      const shown = isShown(event);
      if (event.type === "stage-started") group(terminal`Stage ${plainText(event.stage)}`);
      if (event.type === "deleting" && progress.section !== "deletions") group(terminal`Deletions`);
      progress = withEvent(progress, event, now());
      if (event.type === "going-back") timer = start();
      if (event.type === "finished") {
        clearInterval(timer);
        group(undefined);
        const summary = renderSummary(progress, now(), nameOf, noPaint);
        stream.write(terminal`${withPrefix(begin, summary)}\n`);
      } else if (shown && !(groups && event.type === "stage-started")) {
        write(lineFor(event, nameOf));
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

type Waiting = Extract<DeployEvent, { readonly type: "waiting" }>;

interface Reasons {
  /**
   * Whether a reason is to be told now; otherwise it is due later, unless a newer one takes its place. The first complaint
   * of the cluster does not wait: it is what tells that something is wrong.
   */
  tell(event: Waiting): boolean;
  has(key: string): boolean;
  /** The newest reasons of those who have been quiet for long enough. */
  due(): readonly { readonly key: string; readonly why: string }[];
}

function createReasons(now: () => number): Reasons {
  const heard = new Map<string, number>();
  const told = new Map<string, number>();
  const held = new Map<string, string>();
  const withTrouble = new Set<string>();
  const isWithin = (milliseconds: number, time = Number.NEGATIVE_INFINITY) =>
    now() - time < milliseconds;
  const isQuiet = (key: string) =>
    isWithin(patienceMs, heard.get(key)) || isWithin(reasonEveryMs, told.get(key));
  return {
    tell({ key, why, isTrouble = false }) {
      const isFirstTrouble = isTrouble && !withTrouble.has(key);
      if (isFirstTrouble) withTrouble.add(key);
      if (!heard.has(key)) heard.set(key, now());
      if (isQuiet(key) && !isFirstTrouble) {
        held.set(key, why);
        return false;
      }
      held.delete(key);
      told.set(key, now());
      return true;
    },
    has: (key) => told.has(key),
    due() {
      const ready = [...held].filter(([key]) => !isQuiet(key));
      for (const [key] of ready) {
        held.delete(key);
        told.set(key, now());
      }
      return ready.map(([key, why]) => ({ key, why }));
    },
  };
}

const namesInHeartbeat = 5;

/** `Still waiting for Deployment shop/web (1m 30s, 2/3 ready)`; undefined when nothing is under way. */
function heartbeat(
  progress: DeployProgress,
  now: number,
  nameOf: (key: string) => string,
): TerminalText | undefined {
  const running = [...progress.objects.values()].filter(isRunning);
  if (progress.lockHolder !== undefined && running.length === 0) {
    return terminal`Still waiting for the lock, which ${plainText(progress.lockHolder)} holds`;
  }
  if (progress.preparing !== undefined) return terminal`Still ${plainText(progress.preparing)}`;
  if (running.length === 0) return undefined;
  const oldest = running.toSorted((a, b) => a.since - b.since);
  const texts = oldest.map(({ key, since, why }) => {
    const details = [plainText(elapsedText(now - since)), plainText(why)].filter(
      (text) => text !== "",
    );
    return terminal`${plainText(nameOf(key))} (${joined(details, ", ")})`;
  });
  return terminal`Still waiting for ${plainText(listed(texts, namesInHeartbeat))}`;
}
