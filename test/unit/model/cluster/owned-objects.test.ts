import { expect, test } from "vitest";
import { indexByUid, rootOwner } from "../../../../src/model/cluster/owned-objects.ts";
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
  ["an object without a controller is its own root", [object("a")], "a"],
  ["the root is at the end", [object("a", "b"), object("b", "c"), object("c")], "c"],
  ["an unknown owner ends the chain", [object("a", "b"), object("b", "c")], "b"],
  ["an object that owns itself is its own root", [object("a", "a")], "a"],
  ["two objects that own each other end the chain", [object("a", "b"), object("b", "a")], "b"],
  ["a later cycle ends the chain", [object("a", "b"), object("b", "c"), object("c", "b")], "c"],
])("%s", (_, objects, root) => {
  const [first] = objects;
  expect(first && rootOwner(first, indexByUid(objects)).metadata.name).toBe(root);
});
