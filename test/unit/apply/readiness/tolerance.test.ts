import { describe, expect, it } from "vitest";
import type { Status } from "../../../../src/apply/readiness/status/conditions.ts";
import { createTolerance } from "../../../../src/apply/readiness/tolerance.ts";

const failed: Status = { state: "failed", why: "Degraded" };
const final: Status = { state: "failed", why: "BackoffLimitExceeded", isFinal: true };
const waiting: Status = { state: "waiting", why: "new 0/1" };
const retried: Status = { state: "waiting", why: "SecretSyncedError", isRetried: true };
const refused: Status = { state: "waiting", why: "exceeded quota", cause: "refused" };
const ready: Status = { state: "ready" };
const crash = ["a: CrashLoopBackOff"];

/** An observation: the second, the status, and failures of Pods as `name: text`. */
type Seen = readonly [number, Status, (readonly string[])?];

function judge(toleratedMs: number | undefined, seen: readonly Seen[]): readonly string[] {
  const tolerance = createTolerance(toleratedMs);
  return seen.map(([second, status, failures = []]) => {
    const pods = new Map(failures.map((text) => [text.split(":")[0] ?? "", `Pod ${text}`]));
    const result = tolerance.judge(status, pods, second * 1000);
    const left = tolerance.remaining(second * 1000) / 1000;
    return result.state === "ready"
      ? "ready"
      : `${result.state}: ${result.why}${Number.isFinite(left) ? `, ${left} s left` : ""}`;
  });
}

const cases: readonly (readonly [string, number | undefined, readonly Seen[], string])[] = [
  [
    "without a tolerance, a failure counts immediately",
    undefined,
    [[0, failed]],
    "failed: Degraded",
  ],
  [
    "without a tolerance, failures of Pods never count",
    undefined,
    [
      [0, waiting, crash],
      [9000, waiting, crash],
    ],
    "waiting: new 0/1\nwaiting: new 0/1",
  ],
  [
    "a failure counts once it has lasted for the time",
    180_000,
    [
      [0, failed],
      [179, failed],
      [180, failed],
    ],
    `waiting: Degraded (tolerated for 180 s), 180 s left
waiting: Degraded (tolerated for 180 s), 1 s left
failed: Degraded (not recovered within 180 s), 0 s left`,
  ],
  [
    "a failure of a Pod counts once it has lasted for the time",
    60_000,
    [
      [10, waiting, crash],
      [70, waiting, crash],
    ],
    "waiting: new 0/1, 60 s left\nfailed: Pod a: CrashLoopBackOff (not recovered within 60 s), 0 s left",
  ],
  [
    "a crash loop that runs briefly counts from its first crash",
    60_000,
    [
      [0, waiting, crash],
      [30, waiting],
      [45, waiting, crash],
      [60, waiting, crash],
    ],
    `waiting: new 0/1, 60 s left
waiting: new 0/1
waiting: new 0/1, 15 s left
failed: Pod a: CrashLoopBackOff (not recovered within 60 s), 0 s left`,
  ],
  [
    "a failure after a long recovery counts from its own start",
    60_000,
    [
      [0, waiting, crash],
      [10, waiting],
      [100, waiting, crash],
    ],
    "waiting: new 0/1, 60 s left\nwaiting: new 0/1\nwaiting: new 0/1, 60 s left",
  ],
  [
    "each Pod has its own time",
    60_000,
    [
      [0, waiting, crash],
      [50, waiting, ["b: ErrImagePull"]],
      [60, waiting, ["b: ErrImagePull"]],
    ],
    "waiting: new 0/1, 60 s left\nwaiting: new 0/1, 60 s left\nwaiting: new 0/1, 50 s left",
  ],
  [
    "a retried failure counts",
    5_000,
    [
      [0, retried],
      [5, retried],
    ],
    "waiting: SecretSyncedError, 5 s left\nfailed: SecretSyncedError (not recovered within 5 s), 0 s left",
  ],
  [
    "a rejection of its Pods counts",
    5_000,
    [
      [0, refused],
      [5, refused],
    ],
    "waiting: exceeded quota, 5 s left\nfailed: exceeded quota (not recovered within 5 s), 0 s left",
  ],
  [
    "time alone doesn't count",
    5_000,
    [
      [0, waiting],
      [900, waiting],
    ],
    "waiting: new 0/1\nwaiting: new 0/1",
  ],
  ["the end of a Job counts immediately", 5_000, [[0, final]], "failed: BackoffLimitExceeded"],
  [
    "an object that recovers is ready",
    5_000,
    [
      [0, failed],
      [4, ready],
    ],
    "waiting: Degraded (tolerated for 5 s), 5 s left\nready",
  ],
];

describe("a tolerated failure", () => {
  it.each(cases)("%s", (_name, toleratedMs, seen, expected) => {
    expect(judge(toleratedMs, seen).join("\n")).toBe(expected);
  });
});

describe("a failure that a controller retries", () => {
  const degraded: Status = { state: "failed", why: "Degraded", isRetried: true };
  it.each<readonly [string, readonly (readonly [number, Status])[], string]>([
    [
      "counts after a minute",
      [
        [0, degraded],
        [59, degraded],
        [60, degraded],
      ],
      "waiting: Degraded (tolerated for 60 s), 60 s left\nwaiting: Degraded (tolerated for 60 s), 1 s left\nfailed: Degraded, 0 s left",
    ],
    [
      "counts from its last appearance",
      [
        [0, degraded],
        [50, waiting],
        [60, degraded],
      ],
      "waiting: Degraded (tolerated for 60 s), 60 s left\nwaiting: new 0/1\nwaiting: Degraded (tolerated for 60 s), 60 s left",
    ],
  ])("%s", (_name, seen, expected) => {
    expect(judge(undefined, seen).join("\n")).toBe(expected);
  });
});
