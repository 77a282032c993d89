import { expect, test } from "vitest";
import { indexByUid, rootOwner } from "../../../../src/model/cluster/garbage-collected.ts";
import type { KubeObject } from "../../../../src/model/object.ts";

/** Creates an object whose uid is its name, and whose controller is the given one. */
function object(name: string, controller?: string): KubeObject {
  const ownerReferences = [
    { apiVersion: "v1", kind: "Any", uid: controller ?? "", controller: true },
  ];
  const owners = controller === undefined ? {} : { ownerReferences };
  return { apiVersion: "v1", kind: "Any", metadata: { name, uid: name, ...owners } };
}

test.each([
  ["an object that nothing controls is its own root", [object("a")], "a"],
  ["the root is at the end", [object("a", "b"), object("b", "c"), object("c")], "c"],
  ["an owner that isn't known ends the way", [object("a", "b"), object("b", "c")], "b"],
  ["an object that owns itself is its own root", [object("a", "a")], "a"],
  ["two that own each other have an end", [object("a", "b"), object("b", "a")], "b"],
  ["a circle further on has an end", [object("a", "b"), object("b", "c"), object("c", "b")], "c"],
])("%s", (_, objects, root) => {
  const [first] = objects;
  expect(first && rootOwner(first, indexByUid(objects)).metadata.name).toBe(root);
});
