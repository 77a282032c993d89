import { describe, expect, it } from "vitest";
import type { DeployEvent } from "../../../../src/model/deployments/event.ts";
import { plainLines, plainText } from "../../../../src/redaction/terminal.ts";
import { eventLine } from "../../../../src/report/terminal/event-line.ts";
import { nameOf } from "../../../support/report/terminal-events.ts";

const lines: readonly (readonly [DeployEvent, string])[] = [
  [
    { type: "planned", upserts: 2, deletions: 1, unchanged: 4 },
    "Plan: 2 to create or update, 1 to delete, 4 unchanged",
  ],
  [
    { type: "lock-waiting", holder: "ci@runner" },
    "Waiting for the deployment lock, held by ci@runner",
  ],
  [
    { type: "lock-kept", why: "no" },
    "Couldn't release the deployment lock, so the next run waits until it expires: no",
  ],
  [{ type: "recorded", revision: 7 }, "Recorded as release 7"],
  [{ type: "stage-started", stage: "appSetup" }, "Stage appSetup"],
  [{ type: "applying", key: "a", action: "create" }, "A: creating"],
  [
    { type: "applying", key: "a", action: "update", transfers: ["kubectl"] },
    "A: taking ownership from kubectl",
  ],
  [{ type: "preparing", step: "planning" }, "Planning"],
  [
    { type: "stopping" },
    "Canceling: qvs finishes and records the current steps. Press Ctrl-C again to stop immediately",
  ],
  [{ type: "applied", key: "a", action: "update" }, "A: updated"],
  [{ type: "waiting", key: "a", why: "1/2 ready" }, "A: waiting: 1/2 ready"],
  [{ type: "ready", key: "a", notice: undefined }, "A: ready"],
  [{ type: "ready", key: "a", notice: "paused" }, "A: ready (paused)"],
  [{ type: "failed", key: "a", why: "crashed" }, "A: FAILED: crashed"],
  [{ type: "deleting", key: "a" }, "A: deleting"],
  [{ type: "deleted", key: "a" }, "A: deleted"],
  [{ type: "kept", key: "a", why: "keepOnDelete" }, "A: kept: keepOnDelete"],
  [{ type: "finished", ending: "failed" }, "Failed"],
  [{ type: "finished", ending: "cancelled" }, "Canceled"],
];

describe("an event as one line", () => {
  it.each(lines)("%j", (event, line) => {
    expect(eventLine(event, nameOf)).toBe(line);
  });
});

describe("untrusted text", () => {
  const cases = [
    { name: "loses its colors", text: "\u001b[31mred\u001b[0m", plain: "red" },
    { name: "stays on one line", text: "a\r\nb\tc", plain: "a b c" },
    {
      name: "gives the runner no command",
      text: "::set-output name=a::b",
      plain: ": :set-output name=a::b",
    },
    {
      name: "contains no runner command after a blank either",
      text: "  ::stop-commands::x",
      plain: ": :stop-commands::x",
    },
    { name: "gives no old-style command", text: "x ##[error]y", plain: "x ## [error]y" },
    {
      name: "keeps the colons of a key",
      text: "apps:Deployment::shop/web",
      plain: "apps:Deployment::shop/web",
    },
    {
      name: "can't change the writing direction",
      text: "abc\u202edef",
      plain: "abc\\u202edef",
    },
  ];
  it.each(cases)("$name", ({ text, plain }) => {
    expect(plainText(text)).toBe(plain);
  });

  it("keeps its lines and their indentation where there are several", () => {
    expect(plainLines("a\n  b\u001b[1m\n  ::error::c")).toBe("a\n  b\n  : :error::c");
  });
});
