import { expect, test } from "vitest";
import type { DeployEvent } from "../../../../src/model/deployments/event.ts";
import { noPaint } from "../../../../src/redaction/terminal.ts";
import {
  type DeployProgress,
  initialProgress,
  updateProgress,
} from "../../../../src/report/terminal/deploy-progress.ts";
import { renderSummary } from "../../../../src/report/terminal/render-summary.ts";
import {
  applying,
  nameOf,
  progressAfter,
  ready,
  waiting,
} from "../../../support/report/terminal-events.ts";

const why = "new 1/2, 2 ready; Pod web-77c6469db5: container web: ImagePullBackOff";
const cancelled = progressAfter(applying("web"), waiting("web", why), {
  type: "finished",
  ending: "cancelled",
});

test("a long table has one line per kind for fast and successful objects", () => {
  const names = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind} shop/${kind.toLowerCase()}-${index}`);
  const keys = [...names("ConfigMap", 30), ...names("Secret", 1), ...names("Deployment", 10)];
  const slow = "Deployment shop/deployment-3";
  const others = keys.filter((key) => key !== slow);
  const after = (milliseconds: number, before: DeployProgress, events: readonly DeployEvent[]) =>
    events.reduce((progress, event) => updateProgress(progress, event, milliseconds), before);
  const begun = after(0, initialProgress(0), keys.map(applying));
  const most = after(1200, begun, others.map(ready));
  const all = after(9000, most, [
    ready(slow),
    { type: "deleting", key: "ConfigMap shop/old" },
    { type: "deleted", key: "ConfigMap shop/old" },
    { type: "finished", ending: "succeeded" },
  ]);
  expect(renderSummary(all, 9000, (key) => key, noPaint)).toBe(
    [
      "Succeeded in 9s: 41 created, 1 deleted",
      "  ✔ created   30 × ConfigMap                    1s",
      "  ✔ created   Secret shop/secret-0              1s",
      "  ✔ created   9 × Deployment                    1s",
      "  ✔ created   Deployment shop/deployment-3      9s",
      "  ✔ deleted   ConfigMap shop/old                0s",
    ].join("\n"),
  );
});

test.each([
  [undefined, [`  … waiting   ${nameOf("web")}      2s  ${why}`]],
  [
    60,
    [
      `  … waiting   ${nameOf("web")}      2s`,
      "      new 1/2, 2 ready; Pod web-77c6469db5: container web:",
      "      ImagePullBackOff",
    ],
  ],
])("in %s columns, a long reason is wrapped", (columns, rows) => {
  const [, ...shown] = renderSummary(cancelled, 3000, nameOf, noPaint, columns).split("\n");
  expect(shown).toEqual(rows);
});
