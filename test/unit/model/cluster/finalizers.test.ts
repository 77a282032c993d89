import { expect, test } from "vitest";
import { customFinalizers } from "../../../../src/model/cluster/pending-deletion.ts";

test.each([
  ["foregroundDeletion", false],
  ["orphan", false],
  ["kubernetes", false],
  ["kubernetes.io/pvc-protection", false],
  ["service.kubernetes.io/load-balancer-cleanup", false],
  ["customresourcecleanup.apiextensions.k8s.io", false],
  ["snapshot.storage.kubernetes.io/volumesnapshot-bound-protection", false],
  ["lastly.example.com/backup", true],
  ["finalizer.databases.example.com", true],
  ["cluster.x-k8s.io/machine", true],
  ["ingress.k8s.aws/resources", true],
  ["notkubernetes.io/x", true],
])("%s is a custom finalizer: %s", (finalizer, isOfOthers) => {
  const live = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", finalizers: [finalizer] },
  };
  expect(customFinalizers(live)).toEqual(isOfOthers ? [finalizer] : []);
});
