import { expect, test } from "vitest";
import type { Span, Timeline } from "../../../../src/model/deployments/event.ts";
import { renderTimeline } from "../../../../src/report/comment/render-timeline.ts";

/** Parses lines such as `Deployment web: 2.5-34 failed`, in seconds from the start. */
function timeline(seconds: number, planned: number, text: string): Timeline {
  const began = Date.parse("2026-11-22T21:00:00Z");
  const at = (second: string | undefined) => began + Number(second) * 1000;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const spans = lines.map((line): Span => {
    const [, kind, name, from, to, ending = "done"] =
      /^\s*(\S+) (.+): ([\d.]+)-([\d.]+) ?(\w+)?$/.exec(line) ?? [];
    const key = `core:${kind}::shop/${name}`;
    return { key, began: at(from), ended: at(to), ending: ending as Span["ending"] };
  });
  return { began, ended: at(String(seconds)), planned: at(String(planned)), spans };
}

test("failures are first, then the slowest objects with their times", () => {
  const text = renderTimeline(
    timeline(
      75,
      2.25,
      `ConfigMap a: 2.3-2.4
       Job migrate: 2.3-14
       Deployment api: 14-74.5 failed
       Deployment web: 14.125-75 unfinished`,
    ),
  );
  expect(text).toMatchInlineSnapshot(`
    "<details open><summary>Timeline: 1m 15s</summary>

    \`\`\`mermaid
    gantt
      dateFormat HH:mm:ss.SSS
      axisFormat %M:%S
      todayMarker off
      section plan
        planning :done, 00:00:00.000, 00:00:02.250
      section failed
        Deployment shop/api, 1m 00s :crit, 00:00:14.000, 00:01:14.500
      section unfinished
        Deployment shop/web, 1m 00s :active, 00:00:14.125, 00:01:15.000
      section done
        Job shop/migrate, 11s :done, 00:00:02.300, 00:00:14.000
    \`\`\`

    <sub>1 more object: each took less than 1s.</sub>

    </details>"
  `);
});

test("short runs and fast objects aren't drawn", () => {
  expect(renderTimeline(timeline(0.9, 0.1, "ConfigMap a: 0.2-0.9"))).toBe("");
  expect(renderTimeline(timeline(3, 0.1, "ConfigMap a: 0.2-0.9"))).toBe("");
  expect(renderTimeline(undefined)).toBe("");
});

test("the timeline of hundreds draws every failure and the longest objects", () => {
  const lines = Array.from({ length: 300 }, (_, i) => `ConfigMap c${i}: ${i}-${i + 2 + (i % 50)}`);
  const text = renderTimeline(timeline(400, 0, [...lines, "Pod p: 1-1.2 failed"].join("\n")));
  expect(text.match(/:done, |:crit, /g)).toHaveLength(20);
  expect(text).toContain("Pod shop/p, 0s :crit, ");
  expect(text).toContain("281 more objects: each took less than ");
});

test("no name can end its line or become syntax", () => {
  const text = renderTimeline(
    timeline(
      3 * 3600,
      0,
      `ClusterRole system:x;#y: 0-7205
       section web: 0-5`,
    ),
  );
  expect(text).toContain("ClusterRole shop/system_x__y, 2h 00m :done, 00:00:00.000, 02:00:05.000");
  expect(text).toContain("_section shop/web, 5s :done, ");
  expect(text).toContain("axisFormat %H:%M:%S");
});
