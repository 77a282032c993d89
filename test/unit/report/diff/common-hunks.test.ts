import { expect, test } from "vitest";
import type { Json } from "../../../../src/model/json.ts";
import { commonHunks } from "../../../../src/report/diff/common-hunks.ts";
import { diffValues } from "../../../../src/report/diff/text-diff.ts";

const names = ["a", "b", "c"];

/** Returns the common hunks of three objects with this change. */
function common(change: (name: string, version: string) => Json): readonly string[] {
  const rows = names.map((name) => {
    return { name, diff: diffValues(change(name, "1"), change(name, "2")) };
  });
  return commonHunks(rows).map(({ lines }) => lines.join("\n"));
}

test("a change of two adjacent objects shows the object of each line", () => {
  const found = common((_, version) => ({
    metadata: { annotations: { checksum: version }, labels: { version } },
  }));
  expect(found).toEqual([
    `@@ metadata › annotations @@
-  checksum: "1"
+  checksum: "2"
 labels:
-  version: "1"
+  version: "2"`,
  ]);
});

test("context between two edits that names neither can differ", () => {
  const found = common((name, version) => ({ spec: { a: version, m: name, z: version } }));
  expect(found).toEqual(['@@ spec @@\n-a: "1"\n+a: "2"\n-z: "1"\n+z: "2"']);
});
