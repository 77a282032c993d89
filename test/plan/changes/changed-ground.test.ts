import { expect, test } from "vitest";
import type { ApiFailure } from "../../../src/model/cluster/api-failure.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { mayAllow } from "../../../src/plan/changes/changed-ground.ts";

function quota(hard: JsonObject, labels: JsonObject = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "most", labels },
    spec: { hard },
  };
}

function namespace(labels: JsonObject): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels }, spec: {} };
}

function refusedBy(message: string): ApiFailure {
  return { reason: "forbidden", status: 403, message, causes: [] };
}

const exceeded = refusedBy(
  'pods "web" is forbidden: exceeded quota: most, requested: limits.cpu=500m,pods=1, used: limits.cpu=1,pods=2, limited: limits.cpu=1,pods=2',
);
const enforce = "pod-security.kubernetes.io/enforce";

test.each([
  ["is as it was", quota({ pods: "2" }), quota({ pods: "2" }), exceeded, false],
  ["has another label", quota({ pods: "2" }, { a: "b" }), quota({ pods: "2" }), exceeded, false],
  ["has room for all", quota({ pods: "3", "limits.cpu": "1.5" }), quota({}), exceeded, true],
  ["lacks one resource", quota({ pods: "3", "limits.cpu": "1" }), quota({}), exceeded, false],
  ["no longer counts", quota({ pods: "3" }), quota({ "limits.cpu": "1" }), exceeded, true],
  [
    "no longer enforces",
    namespace({ [enforce]: "baseline" }),
    namespace({ [enforce]: "restricted" }),
    refusedBy('violates PodSecurity "restricted:latest"'),
    true,
  ],
  [
    "has another label",
    namespace({ [enforce]: "restricted", team: "a" }),
    namespace({ [enforce]: "restricted" }),
    refusedBy('violates PodSecurity "restricted:latest"'),
    false,
  ],
])("what refuses %s afterwards", (_, after, live, failure, expected) => {
  expect(mayAllow(after, live, failure)).toBe(expected);
});
