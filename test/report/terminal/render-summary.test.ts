import { expect, test } from "vitest";
import { noPaint } from "../../../src/report/terminal/paint.ts";
import { renderSummary } from "../../../src/report/terminal/render-summary.ts";
import { applying, nameOf, progressAfter, waiting } from "./events.ts";

const why = "2/2 ready, 1 updated; Pod web-77c6469db5: container web: ImagePullBackOff";
const cancelled = progressAfter(applying("web"), waiting("web", why), {
  type: "finished",
  ending: "cancelled",
});

test.each([
  [undefined, [`  … waiting   ${nameOf("web")}      2s  ${why}`]],
  [
    60,
    [
      `  … waiting   ${nameOf("web")}      2s`,
      "      2/2 ready, 1 updated; Pod web-77c6469db5: container",
      "      web: ImagePullBackOff",
    ],
  ],
])("in %s columns a reason is broken where it does not fit", (columns, rows) => {
  const [, ...shown] = renderSummary(cancelled, 3000, nameOf, noPaint, columns).split("\n");
  expect(shown).toEqual(rows);
});
