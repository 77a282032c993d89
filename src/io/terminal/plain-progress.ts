import type { DeployEvent } from "../../model/event.ts";
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

export function createPlainProgress({ stream, nameOf, now }: ProgressSettings): TerminalProgress {
  let picture = emptyPicture(now());
  let lastLine = now();
  const lastReason = new Map<string, number>();

  function write(text: string): void {
    lastLine = now();
    stream.write(`[${elapsedText(lastLine - picture.started).padStart(7)}] ${text}\n`);
  }

  const timer = setInterval(() => {
    const text = heartbeat(picture, now(), nameOf);
    if (text !== undefined && now() - lastLine >= heartbeatMs) write(text);
  }, heartbeatMs / 6);
  timer.unref();

  /** One line for an object that is ready at once: what begins and what follows at once would only triple the log. */
  function isWorthALine(event: DeployEvent): boolean {
    if (event.type === "applying") return false;
    if (event.type === "ready") return event.notice !== undefined || lastReason.has(event.key);
    if (event.type !== "waiting") return true;
    const quiet = now() - (lastReason.get(event.key) ?? Number.NEGATIVE_INFINITY) < reasonEveryMs;
    if (!quiet) lastReason.set(event.key, now());
    return !quiet;
  }

  return {
    report(event) {
      const worthALine = isWorthALine(event);
      picture = withEvent(picture, event, now());
      if (event.type === "finished") {
        clearInterval(timer);
        stream.write(`${renderSummary(picture, now(), nameOf, noPaint)}\n`);
      } else if (worthALine) write(lineFor(event, nameOf));
    },
    close: () => clearInterval(timer),
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
  if (running.length === 0) return undefined;
  const oldest = running.toSorted((a, b) => a.since - b.since).slice(0, namesInHeartbeat);
  const texts = oldest.map(({ key, since, why }) => {
    const details = [elapsedText(now - since), plainText(why)].filter((text) => text !== "");
    return `${plainText(nameOf(key))} (${details.join(", ")})`;
  });
  const more = running.length - oldest.length;
  return `Still waiting for ${texts.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
