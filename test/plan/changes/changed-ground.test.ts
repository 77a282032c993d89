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
const unset = refusedBy(
  'pods "web" is forbidden: failed quota: most: must specify limits.cpu for: web',
);
const tooMuch = refusedBy(
  'pods "web" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
);

function range(type: string, cpu: string): KubeObject {
  const limits = [{ type, max: { cpu } }];
  return { apiVersion: "v1", kind: "LimitRange", metadata: { name: "bounds" }, spec: { limits } };
}

const enforce = "pod-security.kubernetes.io/enforce";

test.each([
  ["is as it was", quota({ pods: "2" }), quota({ pods: "2" }), exceeded, false],
  ["has another label", quota({ pods: "2" }, { a: "b" }), quota({ pods: "2" }), exceeded, false],
  ["has room for all", quota({ pods: "3", "limits.cpu": "1.5" }), quota({}), exceeded, true],
  ["lacks one resource", quota({ pods: "3", "limits.cpu": "1" }), quota({}), exceeded, false],
  ["no longer counts", quota({ pods: "3" }), quota({ "limits.cpu": "1" }), exceeded, true],
  [
    "has room for fractions that add up exactly",
    quota({ "limits.cpu": "300m" }),
    quota({ "limits.cpu": "200m" }),
    refusedBy(
      "exceeded quota: most, requested: limits.cpu=200m, used: limits.cpu=100m, limited: limits.cpu=200m",
    ),
    true,
  ],
  [
    "still asks for a limit",
    quota({ "limits.cpu": "1", pods: "3" }),
    quota({ "limits.cpu": "1" }),
    unset,
    false,
  ],
  ["asks for no limit", quota({ pods: "3" }), quota({ "limits.cpu": "1" }), unset, true],
  ["limits claims otherwise", range("Pod", "2"), range("Pod", "1"), tooMuch, false],
  ["limits containers otherwise", range("Container", "2"), range("Container", "1"), tooMuch, true],
  [
    "warns of more",
    namespace({ [enforce]: "restricted", "pod-security.kubernetes.io/warn": "baseline" }),
    namespace({ [enforce]: "restricted" }),
    refusedBy('violates PodSecurity "restricted:latest"'),
    false,
  ],
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
