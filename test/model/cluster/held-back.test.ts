import { expect, test } from "vitest";
import { heldBackBy } from "../../../src/model/cluster/held-back.ts";

const namespace = (...conditions: readonly { readonly [field: string]: string }[]) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop" },
  status: { phase: "Terminating", conditions },
});

test("what holds back the deletion of a Namespace is what its controller says", () => {
  const live = namespace(
    { type: "NamespaceDeletionDiscoveryFailure", status: "True", message: "a.example/v1 is down" },
    { type: "NamespaceDeletionContentFailure", status: "False", message: "All content deleted" },
    {
      type: "NamespaceContentRemaining",
      status: "True",
      message: "pods. has 1 resource instances",
    },
  );
  expect(heldBackBy(live)).toBe("a.example/v1 is down; pods. has 1 resource instances");
});

test("nothing is said of what has no such condition", () => {
  expect(heldBackBy(namespace())).toBeUndefined();
  const ready = namespace({ type: "Ready", status: "True", message: "all is well" });
  expect(heldBackBy(ready)).toBeUndefined();
});
