import type { DeployEvent } from "../../model/event.ts";
import { listed } from "../../model/listed.ts";
import { elapsedText } from "./elapsed.ts";
import { lineFor } from "./line-for.ts";
import { noPaint } from "./paint.ts";
import { emptyPicture, isRunning, type Picture, withEvent } from "./picture.ts";
import { plainText } from "./plain-text.ts";
import type { ProgressSettings, TerminalProgress } from "./progress.ts";
import { renderSummary } from "./render-summary.ts";

/** Long enough not to fill a log, short enough that nobody takes a wait for a hang. */
const heartbeatMs = 30_000;

/** A rollout of many replicas changes its reason with every Pod; the log gets one in so many milliseconds. */
const reasonEveryMs = 10_000;

/**
 * Plain lines: of what takes time, its reasons and every 30 s that it still does; of the rest one line each. On GitHub, whose log
 * folds them, the lines of a stage form a group.
 */
export function createPlainProgress(settings: ProgressSettings): TerminalProgress {
  const { stream, nameOf, now, groups } = settings;
  let picture = emptyPicture(now());
  let lastLine = now();
  let grouped = false;
  const reasons = createReasons(now);

  function write(text: string): void {
    lastLine = now();
    stream.write(`[${elapsedText(lastLine - picture.started).padStart(7)}] ${text}\n`);
  }

  /** The names of groups are ours; in all other lines a time stands before the words of others. */
  function group(name: string | undefined): void {
    if (!groups) return;
    if (grouped) stream.write("::endgroup::\n");
    if (name !== undefined) stream.write(`::group::${name}\n`);
    grouped = name !== undefined;
  }

  const timer = setInterval(() => {
    for (const { key, why } of reasons.due()) {
      if (isWaiting(picture, key)) write(lineFor({ type: "waiting", key, why }, nameOf));
    }
    const text = heartbeat(picture, now(), nameOf);
    if (text !== undefined && now() - lastLine >= heartbeatMs) write(text);
  }, 1000);
  timer.unref();

  /** One line for an object that is ready at once: what begins and what follows at once would only triple the log. */
  function isWorthALine(event: DeployEvent): boolean {
    if (event.type === "preparing") return false;
    if (event.type === "applying") return event.adopts !== undefined;
    if (event.type === "ready") return event.notice !== undefined || reasons.has(event.key);
    return event.type === "waiting" ? reasons.tell(event.key, event.why) : true;
  }

  return {
    report(event) {
      const worthALine = isWorthALine(event);
      if (event.type === "stage-started") group(`Stage ${event.stage}`);
      if (event.type === "deleting" && picture.section !== "deletions") group("Deletions");
      picture = withEvent(picture, event, now());
      if (event.type === "finished") {
        clearInterval(timer);
        group(undefined);
        stream.write(`${renderSummary(picture, now(), nameOf, noPaint)}\n`);
      } else if (worthALine && !(groups && event.type === "stage-started")) {
        write(lineFor(event, nameOf));
      }
    },
    close: () => {
      clearInterval(timer);
      group(undefined);
    },
  };
}

function isWaiting({ objects }: Picture, key: string): boolean {
  const object = objects.get(key);
  return object !== undefined && isRunning(object);
}

interface Reasons {
  /**
   * Whether a reason is to be told now; otherwise it is due later, unless a newer one takes its place. The first complaint of a Pod
   * (behind a semicolon) does not wait: it is what tells that something is wrong.
   */
  tell(key: string, why: string): boolean;
  has(key: string): boolean;
  /** The newest reasons of those who have been quiet for long enough. */
  due(): readonly { readonly key: string; readonly why: string }[];
}

function createReasons(now: () => number): Reasons {
  const told = new Map<string, number>();
  const held = new Map<string, string>();
  const complained = new Set<string>();
  const isQuiet = (key: string) =>
    now() - (told.get(key) ?? Number.NEGATIVE_INFINITY) < reasonEveryMs;
  return {
    tell(key, why) {
      const isFirstComplaint = why.includes("; ") && !complained.has(key);
      if (isFirstComplaint) complained.add(key);
      if (isQuiet(key) && !isFirstComplaint) {
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
  picture: Picture,
  now: number,
  nameOf: (key: string) => string,
): string | undefined {
  const running = [...picture.objects.values()].filter(isRunning);
  if (picture.lockHolder !== undefined && running.length === 0) {
    return `Still waiting for the lock, which ${plainText(picture.lockHolder)} holds`;
  }
  if (picture.preparing !== undefined) return `Still ${picture.preparing}`;
  if (running.length === 0) return undefined;
  const oldest = running.toSorted((a, b) => a.since - b.since);
  const texts = oldest.map(({ key, since, why }) => {
    const details = [elapsedText(now - since), plainText(why)].filter((text) => text !== "");
    return `${plainText(nameOf(key))} (${details.join(", ")})`;
  });
  return `Still waiting for ${listed(texts, namesInHeartbeat)}`;
}
