import { expect, test } from "vitest";
import { recordTimes } from "../../../../src/deploying/recording/record-times.ts";
import type { DeployEvent } from "../../../../src/model/deployments/event.ts";

const apply = (key: string): DeployEvent => ({ type: "applying", key, action: "create" });
const ready = (key: string): DeployEvent => ({ type: "ready", key, notice: undefined });

test("times are those of the events, and unfinished objects end with the run", () => {
  let second = 0;
  const clock = {
    now: () => new Date(0),
    elapsed: () => second * 1000,
    sleep: async () => undefined,
  };
  const passed: string[] = [];
  const progress = recordTimes({ report: ({ type }) => void passed.push(type) }, clock);
  const events: readonly (readonly [number, DeployEvent])[] = [
    [1, { type: "planned", upserts: 3, deletions: 1, unchanged: 1 }],
    [2, apply("job")],
    [3, { type: "applied", key: "job", action: "create" }],
    [3, ready("unchanged, and ready at once")],
    [9, ready("job")],
    [10, apply("web")],
    [11, { type: "waiting", key: "web", why: "0/1 ready" }],
    [11, { type: "waiting", key: "old web", why: "unchanged, but not ready" }],
    [12, { type: "deleting", key: "old" }],
    [13, { type: "kept", key: "old", why: "still used" }],
    [14, { type: "failed", key: "web", why: "no" }],
  ];
  for (const [at, event] of events) {
    second = at;
    progress.report(event);
  }
  second = 20;
  const { spans, ...around } = progress.timeline();
  expect(around).toEqual({ began: 0, planned: 1000, ended: 20_000 });
  expect(spans.map((span) => `${span.key} ${span.began}-${span.ended} ${span.ending}`)).toEqual([
    "job 2000-9000 done",
    "web 10000-14000 failed",
    "old web 11000-20000 unfinished",
  ]);
  expect(passed).toHaveLength(events.length);
});
