import { expect, test } from "vitest";
import { readYaml } from "../../../../src/config/yaml/read.ts";
import { readManifests } from "../../../../src/init/read-manifests.ts";

test.each(["a: [1", "a: [1\n", "a: [1,\n\n\n", "a: {b: [\n", 'a: "x\n', "a: {\n  b: 1\n"])(
  "a fault at the end of a file is reported on a line with text: %j",
  (text) => {
    const last = text.trimEnd().split("\n");
    for (const read of [readYaml("a.yaml", text), readManifests("a.yaml", text)]) {
      const where = read.ok ? [] : read.problems.flatMap((problem) => problem.where);
      expect(where.length).toBeGreaterThan(0);
      for (const { line } of where) expect(line).toBeLessThanOrEqual(last.length);
    }
  },
);
