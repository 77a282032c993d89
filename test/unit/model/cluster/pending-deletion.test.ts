import { expect, test } from "vitest";
import { deletionBlockReason } from "../../../../src/model/cluster/pending-deletion.ts";

const namespace = (...conditions: readonly { readonly [field: string]: string }[]) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop" },
  status: { phase: "Terminating", conditions },
});

test("the controller's conditions explain the pending deletion of a Namespace", () => {
  const live = namespace(
    { type: "NamespaceDeletionDiscoveryFailure", status: "True", message: "a.example/v1 is down" },
    { type: "NamespaceDeletionContentFailure", status: "False", message: "All content deleted" },
    {
      type: "NamespaceContentRemaining",
      status: "True",
      message: "pods. has 1 resource instances",
    },
  );
  expect(deletionBlockReason(live)).toBe("a.example/v1 is down; pods. has 1 resource instances");
});

test("a Namespace without these conditions has no explanation", () => {
  expect(deletionBlockReason(namespace())).toBeUndefined();
  const ready = namespace({ type: "Ready", status: "True", message: "all is well" });
  expect(deletionBlockReason(ready)).toBeUndefined();
});
