import { expect, test } from "vitest";
import { formatFieldPath } from "../../../../src/model/fields/field-differences.ts";
import {
  listFieldPaths,
  pathWithIndexes,
  pathWithKeys,
} from "../../../../src/model/fields/resolve-path.ts";

const object = {
  spec: {
    containers: [
      { name: "web", ports: [{ containerPort: 80, protocol: "TCP" }, { containerPort: 81 }] },
      { name: "proxy", image: "proxy:1" },
    ],
    finalizers: ["a.b/c", "d"],
    rules: [{ host: "x" }],
    "0": "zero",
  },
};

test.each([
  [["spec", "containers", 1, "image"], 'spec.containers[name="proxy"].image', "spec containers 1"],
  [["spec", "containers", "1", "image"], 'spec.containers[name="proxy"].image', "spec containers"],
  [["spec", "rules", 0, "host"], "spec.rules[0].host", "spec rules 0 host"],
  [["spec", "finalizers", "d"], "spec.finalizers[1]", "spec finalizers 1"],
  [["spec", 0], "spec.0", "spec 0"],
])("%j is %s", (path, keyed, indexed) => {
  expect(formatFieldPath(pathWithKeys(object, path))).toBe(keyed);
  expect(pathWithIndexes(object, path)?.join(" ")).toContain(indexed);
});

test.each([
  [["spec", "containers", 7, "image"], "spec.containers[7].image"],
  [["spec", "none", "x"], "spec.none.x"],
  [["constructor", "name"], "constructor.name"],
])("%j doesn't exist and stays as it is", (path, text) => {
  expect(formatFieldPath(pathWithKeys(object, path))).toBe(text);
  expect(pathWithIndexes(object, path)).toBeUndefined();
});

test("lists the fields, parents first, up to the limit", () => {
  const paths = listFieldPaths(object, 100).map(formatFieldPath);
  expect(paths.slice(0, 2)).toEqual(["spec", "spec.0"]);
  expect(paths).toContain('spec.containers[name="proxy"].image');
  expect(paths).toContain('spec.containers[name="web"].ports[containerPort=81].containerPort');
  expect(listFieldPaths(object, 3)).toHaveLength(3);
});
