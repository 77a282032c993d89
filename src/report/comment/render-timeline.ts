import type { Span, Timeline } from "../../model/deployments/event.ts";
import { nameFromKey } from "../../model/object.ts";
import { elapsedText } from "../../model/text/duration.ts";
import {
  codeBlock,
  details,
  escapeHtml,
  escapeText,
  ganttName,
  html,
  md,
} from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { plural } from "../text/counts.ts";

/** More rows aren't readable. Short spans aren't worth a row. */
const maxSpans = 20;
const shortest = 1_000;

/** Renders the durations of a run, failures first, then the longest. Empty if all were short. */
export function renderTimeline(timeline: Timeline | undefined): Markdown {
  if (timeline === undefined || timeline.ended - timeline.began < shortest) return md``;
  const shown = chosen(timeline.spans);
  if (shown.length === 0) return md``;
  const total = elapsedText(timeline.ended - timeline.began);
  return details(
    html`Timeline: ${escapeHtml(total)}`,
    joined(
      [codeBlock("mermaid", ganttLines(timeline, shown)), ...renderRest(timeline.spans, shown)],
      "\n\n",
    ),
    shown.some(({ ending }) => ending !== "done"),
  );
}

function chosen(spans: readonly Span[]): readonly Span[] {
  return spans
    .filter((span) => span.ending !== "done" || spanLength(span) >= shortest)
    .toSorted((a, b) => rank(a) - rank(b) || spanLength(b) - spanLength(a))
    .slice(0, maxSpans);
}

const endings = ["failed", "unfinished", "done"] as const satisfies readonly Span["ending"][];

function rank({ ending }: Span): number {
  return endings.indexOf(ending);
}

function spanLength({ began, ended }: Span): number {
  return ended - began;
}

function renderRest(all: readonly Span[], shown: readonly Span[]): readonly Markdown[] {
  const rest = all.filter((span) => !shown.includes(span));
  if (rest.length === 0) return [];
  const longest = elapsedText(Math.max(...rest.map(spanLength)) + 999);
  return [
    md`<sub>${escapeText(plural(rest.length, "more object"))}: each took less than ${escapeText(longest)}.</sub>`,
  ];
}

const sections = {
  failed: "failed",
  unfinished: "unfinished",
  done: "done",
} as const;
const tags = { failed: "crit, ", unfinished: "active, ", done: "done, " } as const;

/**
 * Renders a Gantt chart with times of day from midnight.
 * Mermaid shows dates in the reader's time zone. In zones with half-hour offsets, milliseconds
 * since the epoch would start at other minutes.
 */
function ganttLines(
  { began, ended, planned }: Timeline,
  shown: readonly Span[],
): readonly string[] {
  const task = (name: string, tag: string, from: number, to: number) =>
    `    ${name} :${tag}${timeOfDay(from - began)}, ${timeOfDay(to - began)}`;
  return [
    "gantt",
    "  dateFormat HH:mm:ss.SSS",
    `  axisFormat ${ended - began >= 3_600_000 ? "%H:%M:%S" : "%M:%S"}`,
    "  todayMarker off",
    ...(planned === undefined || planned - began < shortest
      ? []
      : ["  section plan", task("planning", "done, ", began, planned)]),
    ...endings.flatMap((ending) => {
      const spans = shown.filter((span) => span.ending === ending);
      if (spans.length === 0) return [];
      const byTime = spans.toSorted((a, b) => a.began - b.began);
      return [
        `  section ${sections[ending]}`,
        ...byTime.map((span) => {
          const name = `${nameFromKey(span.key)}, ${elapsedText(spanLength(span))}`;
          return task(ganttName(name), tags[ending], span.began, span.ended);
        }),
      ];
    }),
  ];
}

function timeOfDay(milliseconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const within = Math.min(milliseconds, 86_399_999);
  const seconds = within / 1000;
  const rest = String(within % 1000).padStart(3, "0");
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${rest}`;
}
