import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { redact, redactPair } from "../../../src/redaction/redact.ts";
import { diffTextLines, diffValues } from "../../../src/report/diff/text-diff.ts";
import { toYaml } from "../../../src/report/text/yaml.ts";
import { fc } from "../../support/fast-check.ts";
import { runs } from "../../support/runs.ts";

function secret(fields: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "db" }, ...fields };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

const cases: readonly {
  name: string;
  before: Json | undefined;
  after: Json | undefined;
  diff: string;
}[] = [
  {
    name: "each key shows its change, never its value",
    before: secret({ data: { same: "AAAA", old: "BBBB", changed: "CCCC" } }),
    after: secret({ data: { same: "AAAA", changed: "DDDD", new: "EEEE" } }),
    diff: `
@@ data @@
-changed: (hidden)
+changed: (changed)
-old: (removed)
+new: (added)
 same: (hidden)`,
  },
  {
    name: "a new Secret",
    before: undefined,
    after: secret({ stringData: { password: "hunter2" } }),
    diff: `
+apiVersion: v1
+kind: Secret
+metadata:
+  name: db
+data:
+  password: (added)`,
  },
  {
    name: "a value that only moves from stringData to data doesn't change",
    before: secret({ stringData: { password: "hunter2" } }),
    after: secret({ data: { password: base64("hunter2") } }),
    diff: "",
  },
  {
    name: "both sides of an object that becomes a Secret are hidden",
    before: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "db" },
      data: { password: "hunter2" },
    },
    after: secret({ data: { password: base64("hunter2") } }),
    diff: `
 apiVersion: v1
-kind: ConfigMap
+kind: Secret
 metadata:
   name: db
 data:
-  password: (hidden)
+  password: (changed)`,
  },
  {
    name: "kubectl's copy of the object in an annotation",
    before: {
      metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "hunter2" } },
    },
    after: { metadata: { annotations: {} } },
    diff: `
@@ metadata @@
-annotations:
-  kubectl.kubernetes.io/last-applied-configuration: (removed)
+annotations: {}`,
  },
  {
    name: "Secrets within a list",
    before: { kind: "List", items: [secret({ data: { a: "AAAA" } })] },
    after: { kind: "List", items: [secret({ data: { a: "BBBB" } })] },
    diff: `
@@ items › data @@
-a: (hidden)
+a: (changed)`,
  },
  {
    name: "data that isn't an object",
    before: secret({ data: "hunter2" }),
    after: secret({ data: "hunter3" }),
    diff: `
@@ data @@
-"": (hidden)
+"": (changed)`,
  },
];

for (const { name, before, after, diff } of cases) {
  test(name, () => {
    const lines = diffTextLines(diffValues(before, after));
    expect(lines.map((line) => `\n${line}`).join("")).toBe(diff);
  });
}

test("a Pulumi value that is marked as secret is hidden", () => {
  expect(redact({ password: { "fn::secret": "hunter2" } })).toEqual({
    password: { "fn::secret": "(hidden)" },
  });
});

test("no Secret value is shown, in any place", { tags: "slow" }, () => {
  const value = fc.string({ minLength: 6 }).map((text) => `S3CRET${text}`);
  const data = fc.dictionary(fc.string(), value);
  const hidden = fc.record({ data, stringData: data }).map(secret);
  const anywhere = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      hidden,
      fc.array(tie("tree")),
      fc.dictionary(fc.string(), tie("tree")),
    ),
  })).tree;
  fc.assert(
    fc.property(anywhere, anywhere, (before, after) => {
      const pair = redactPair(before, after);
      const shown = JSON.stringify([pair, redact(before)]);
      expect(shown).not.toContain("S3CRET");
      expect(shown).not.toContain(base64("S3CRET").slice(0, 8));
    }),
    runs(25),
  );
});

test("other values stay unchanged", () => {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { list: [1, null, { b: true }] },
  };
  expect(toYaml(redact(object))).toBe(toYaml(object));
});
