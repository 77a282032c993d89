import { expect, test } from "vitest";
import type { Json } from "../../../../src/model/json.ts";
import { commonHunks, repeatedDiffs } from "../../../../src/report/diff/common-hunks.ts";
import { diffValues } from "../../../../src/report/diff/text-diff.ts";
import type { DeploymentReview } from "../../../../src/report/review/review.ts";
import type { Row } from "../../../../src/report/rows/row.ts";

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

/** Returns the review of a deployment with one object in its own namespace. */
function section(name: string, kind: string, value: string): DeploymentReview {
  const object = (data: string) => ({ metadata: { namespace: name }, data: { data } });
  const secret = kind === "Secret";
  const diff = diffValues(object("before"), object(value), secret ? { hides: ["before"] } : {});
  const row: Row = {
    ...{ action: "update", name: `${kind} ${name}/web`, fields: [], ignored: [], diff },
  };
  return { name, rows: [row] } as unknown as DeploymentReview;
}

function repeats(...sections: readonly DeploymentReview[]): readonly string[] {
  return [...repeatedDiffs(sections)].map(([{ name }, other]) => `${name} as in ${other}`);
}

test("a diff that is equal except for the namespace is shown for the first deployment", () => {
  const [staging, prod] = ["staging", "prod"].map((name) => section(name, "ConfigMap", "after"));
  expect(repeats(staging as DeploymentReview, prod as DeploymentReview)).toEqual([
    "ConfigMap prod/web as in staging",
  ]);
});

test.each([
  ["another value", section("prod", "ConfigMap", "other")],
  ["another kind", section("prod", "Service", "after")],
])("%s is shown again", (_, other) => {
  expect(repeats(section("staging", "ConfigMap", "after"), other)).toEqual([]);
});

test("hidden values aren't reported as equal", () => {
  const [staging, prod] = ["staging", "prod"].map((name) => section(name, "Secret", "after"));
  expect(repeats(staging as DeploymentReview, prod as DeploymentReview)).toEqual([]);
});
