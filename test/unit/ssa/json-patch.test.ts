import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/model/object.ts";
import { applyJsonPatch } from "../../../src/ssa/json-patch.ts";

const object: KubeObject = {
  apiVersion: "v1",
  kind: "Lamp",
  metadata: { name: "a" },
  spec: { list: [1, 2], map: { a: "x" } },
};

test("a patch adds, replaces and removes fields, and replaces lists as a whole", () => {
  const patch = [
    { op: "add", path: "/spec/map/b~1c", value: "y" },
    { op: "remove", path: "/spec/map/a" },
    { op: "replace", path: "/spec/list", value: [3] },
  ];
  expect(applyJsonPatch(object, patch)["spec"]).toEqual({ list: [3], map: { "b/c": "y" } });
});

test("a patch into a list is rejected", () => {
  const patch = [{ op: "replace", path: "/spec/list/0", value: 3 }];
  expect(() => applyJsonPatch(object, patch)).toThrow("into a list");
});
