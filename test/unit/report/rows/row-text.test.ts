import { expect, test } from "vitest";
import type { Row } from "../../../../src/report/rows/row.ts";
import { traceText } from "../../../../src/report/rows/row-text.ts";

function placed(...files: readonly string[]): Row {
  const patched = files.map((file, index) => ({ file, line: index + 1, column: 1 }));
  const patterns = ["kustomize: ../overlay", "base/web.yaml:1"];
  const trace = { patterns, line: 4, changed: ["size"], written: [], patched };
  return { action: "update", name: "ConfigMap web", fields: [], ignored: [], trace };
}

test.each([
  [
    ["overlay/a.yaml"],
    "base/web.yaml:1 in kustomize: ../overlay (line 4), patched at overlay/a.yaml:1, because size changed",
  ],
  [
    ["a", "b\u001b[31m", "c", "d"],
    "base/web.yaml:1 in kustomize: ../overlay (line 4), patched at a:1, b\\u001b[31m:2, c:3 and 1 more, because size changed",
  ],
])("a row of a kustomization names its patches: %j", (files, expected) => {
  expect(traceText(placed(...files), {})).toBe(expected);
});
