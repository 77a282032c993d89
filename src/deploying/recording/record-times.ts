import type { DeployEvent, Span, Timeline } from "../../model/deployments/event.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProgressReporter } from "../../ports/terminal.ts";

/** A progress report that records the times of its events. */
export interface TimedProgress extends ProgressReporter {
  timeline(): Timeline;
}

/**
 * Passes all events on and records their times. An object that is ready at once has no time of its
 * own.
 */
export function recordTimes(progress: ProgressReporter, clock: Clock): TimedProgress {
  const [start, zero] = [clock.now().getTime(), clock.elapsed()];
  const now = () => start + clock.elapsed() - zero;
  const began = now();
  let planned: number | undefined;
  const open = new Map<string, number>();
  const spans = new Map<string, Span>();
  const end = (key: string, ending: Span["ending"], ended: number) => {
    const since = open.get(key);
    if (since !== undefined) spans.set(key, { key, began: since, ended, ending });
    open.delete(key);
  };
  const note = (event: DeployEvent) => {
    switch (event.type) {
      case "planned":
        planned = now();
        return;
      case "applying":
      case "waiting":
      case "deleting":
        if (!open.has(event.key)) open.set(event.key, now());
        return;
      case "ready":
      case "deleted":
        return end(event.key, "done", now());
      case "failed":
        return end(event.key, "failed", now());
      case "kept":
        open.delete(event.key);
        return;
      default:
        return;
    }
  };
  return {
    report: (event) => {
      note(event);
      progress.report(event);
    },
    timeline: () => {
      const ended = now();
      const unfinished = [...open].map(
        ([key, since]): Span => ({ key, began: since, ended, ending: "unfinished" }),
      );
      const all = [...spans.values(), ...unfinished].toSorted((a, b) => a.began - b.began);
      return { began, ended, planned, spans: all };
    },
  };
}
