import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ControllerEvent } from "../../../src/controller/events.ts";
import { logLine } from "../../../src/controller/log.ts";
import { createMetrics } from "../../../src/controller/metrics.ts";
import { jsonLine } from "../../../src/redaction/program-output.ts";

const state = {
  isMember: true,
  isReady: true,
  members: 3,
  deployments: 50,
  owned: 17,
  objects: 170,
  watches: 9,
  waiting: 2,
};

function reconciled(outcome: Extract<ControllerEvent, { type: "reconciled" }>["outcome"]) {
  const rest = { deployment: "shop/web", milliseconds: 1500, again: 4000 };
  return { type: "reconciled", outcome, ...rest } as const;
}

async function samples(metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  const text = await metrics.text();
  return text.split("\n").filter((line) => line.startsWith("qvs_") && !line.includes("_bucket"));
}

test("the metrics contain counters and the current state", async () => {
  const metrics = createMetrics(() => state);
  metrics.record(reconciled({ type: "unchanged" }));
  metrics.record(reconciled({ type: "corrected", objects: ["a", "b"] }));
  metrics.record({ type: "watch-trouble", of: "v1 ConfigMap", why: "no" });
  expect(await samples(metrics)).toEqual([
    "qvs_member 1",
    "qvs_members 3",
    "qvs_deployments_known 50",
    "qvs_deployments_owned 17",
    "qvs_objects_watched 170",
    "qvs_watches 9",
    "qvs_queue_depth 2",
    'qvs_reconcile_total{namespace="shop",deployment="web",outcome="unchanged"} 1',
    'qvs_reconcile_total{namespace="shop",deployment="web",outcome="corrected"} 1',
    'qvs_corrected_objects_total{namespace="shop",deployment="web"} 2',
    "qvs_reconcile_duration_seconds_sum 3",
    "qvs_reconcile_duration_seconds_count 2",
    'qvs_troubles_total{of="watch"} 1',
  ]);
  metrics.record({ type: "deployment-dropped", deployment: "shop/web" });
  expect((await samples(metrics)).join("\n")).not.toContain("web");
});

test("the documentation lists exactly the metrics of qvs", async () => {
  const page = readFileSync(
    join(import.meta.dirname, "../../../docs/reference/reconcile.md"),
    "utf8",
  );
  const documented = Array.from(
    page.matchAll(/^\| `(qvs_\w+)` \| (\w+) /gm),
    ([, name, type]) => `${name} ${type}`,
  );
  const text = await createMetrics(() => state).text();
  const qvsMetrics = Array.from(text.matchAll(/^# TYPE (qvs_\w+ \w+)$/gm), ([, type]) => type);
  expect(documented.toSorted()).toEqual(qvsMetrics.toSorted());
});

const lines: readonly (readonly [ControllerEvent, string])[] = [
  [{ type: "started", identity: "a" }, '{"level":"info","msg":"started","identity":"a"}'],
  [
    { type: "members", members: [] },
    `{"level":"warn","msg":"stepped down: the Lease of this replica wasn't renewed in time"}`,
  ],
  [
    reconciled({ type: "corrected", objects: ["core:ConfigMap::shop/a"] }),
    '{"level":"info","msg":"drift corrected","deployment":"shop/web","outcome":"corrected","seconds":1.5,"objects":1,"keys":["core:ConfigMap::shop/a"],"nextSeconds":4}',
  ],
  [
    reconciled({ type: "frozen", why: "Black Friday" }),
    '{"level":"warn","msg":"deployments are frozen","deployment":"shop/web","outcome":"frozen","seconds":1.5,"why":"Black Friday","nextSeconds":4}',
  ],
];

test.each(lines)("the log line for %j", (event, expected) => {
  const { time, ...rest } = logLine(event, "2026-01-01T00:00:00.000Z") ?? {};
  expect([JSON.stringify(rest), time]).toEqual([expected, "2026-01-01T00:00:00.000Z"]);
});

test("text from the cluster moves no cursor, commands no runner and is truncated", () => {
  const why = `\u001b[2J\u202e\n::set-output name=x::y ##[error]${"x".repeat(100_000)}`;
  const line = logLine({ type: "watch-trouble", of: "v1 ConfigMap", why }, "") ?? {};
  const text = jsonLine(line);
  expect(text).toMatch(/"why":"\\u001b\[2J\\u202e\\n::set-output name=x::y #\\u0023\[error\]x+/);
  expect(text.length).toBeLessThan(4_300);
});

test("a check without drift has no line, and a long list is truncated", () => {
  expect(logLine(reconciled({ type: "unchanged" }), "")).toBeUndefined();
  const objects = Array.from({ length: 500 }, (_, index) => String(index));
  const line = logLine(reconciled({ type: "corrected", objects }), "");
  expect([line?.objects, (line?.keys as readonly string[] | undefined)?.length]).toEqual([500, 20]);
});
