import { expect, test } from "vitest";
import { liftedBy, refusalToCome } from "../../src/admission/changed-grounds.ts";
import { podToCome, type Subject } from "../../src/admission/subject.ts";
import type { ApiFailure } from "../../src/model/cluster/api-failure.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";

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

function range(type: string, limit: JsonObject): KubeObject {
  const limits = [{ type, ...limit }];
  return { apiVersion: "v1", kind: "LimitRange", metadata: { name: "bounds" }, spec: { limits } };
}

function pod(resources: JsonObject = {}, spec: JsonObject = {}): Subject {
  return podToCome({ spec: { containers: [{ name: "web", resources }], ...spec } }, undefined);
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
const insecure = refusedBy('pods "web" is forbidden: violates PodSecurity "baseline:latest": …');
const twoCpus = pod({ limits: { cpu: "2" } });
const onHost = pod({}, { hostNetwork: true });
const enforce = "pod-security.kubernetes.io/enforce";

test.each<[string, KubeObject, KubeObject | undefined, ApiFailure, Subject | undefined, boolean]>([
  ["a quota that stays", quota({ pods: "2" }), quota({ pods: "2" }), exceeded, undefined, false],
  [
    "a quota with room for all of it",
    quota({ pods: "3", "limits.cpu": "1.5" }),
    quota({}),
    exceeded,
    undefined,
    true,
  ],
  [
    "a quota that still lacks one resource",
    quota({ pods: "3", "limits.cpu": "1" }),
    quota({}),
    exceeded,
    undefined,
    false,
  ],
  [
    "a quota that no longer counts it",
    quota({ pods: "3" }),
    quota({ "limits.cpu": "1" }),
    exceeded,
    undefined,
    true,
  ],
  [
    "a quota with room for fractions that add up exactly",
    quota({ "limits.cpu": "300m" }),
    quota({ "limits.cpu": "200m" }),
    refusedBy(
      "exceeded quota: most, requested: limits.cpu=200m, used: limits.cpu=100m, limited: limits.cpu=200m",
    ),
    undefined,
    true,
  ],
  [
    "a quota that still asks for a limit",
    quota({ "limits.cpu": "1", pods: "3" }),
    quota({ "limits.cpu": "1" }),
    unset,
    pod(),
    false,
  ],
  [
    "a quota that asks for no limit any more",
    quota({ pods: "3" }),
    quota({ "limits.cpu": "1" }),
    unset,
    pod(),
    true,
  ],
  [
    "a LimitRange that gives the limit",
    range("Container", { default: { cpu: "1" } }),
    undefined,
    unset,
    pod(),
    true,
  ],
  [
    "a LimitRange that gives another limit",
    range("Container", { default: { memory: "1Gi" } }),
    undefined,
    unset,
    pod(),
    false,
  ],
  [
    "a LimitRange for all containers, where one was exceeded",
    range("Pod", { max: { cpu: "2" } }),
    range("Pod", { max: { cpu: "1.5" } }),
    tooMuch,
    twoCpus,
    true,
  ],
  [
    "a LimitRange that was not in the way",
    range("Container", { max: { cpu: "9" } }),
    range("Container", { max: { cpu: "8" } }),
    tooMuch,
    twoCpus,
    false,
  ],
  [
    "a LimitRange that allows more",
    range("Container", { max: { cpu: "2" } }),
    range("Container", { max: { cpu: "1" } }),
    tooMuch,
    twoCpus,
    true,
  ],
  [
    "a LimitRange that allows a little more",
    range("Container", { max: { cpu: "1.9" } }),
    range("Container", { max: { cpu: "1" } }),
    tooMuch,
    twoCpus,
    false,
  ],
  [
    "a namespace that enforces less, but enough",
    namespace({ [enforce]: "baseline" }),
    namespace({ [enforce]: "restricted" }),
    insecure,
    onHost,
    false,
  ],
  [
    "a namespace that enforces nothing any more",
    namespace({ [enforce]: "privileged" }),
    namespace({ [enforce]: "restricted" }),
    insecure,
    onHost,
    true,
  ],
  [
    "a namespace with another label",
    namespace({ [enforce]: "baseline", team: "a" }),
    namespace({ [enforce]: "baseline" }),
    insecure,
    onHost,
    false,
  ],
])("whether %s lifts a refusal", (_, after, before, failure, subject, expected) => {
  expect(liftedBy(failure, [{ before, after }], subject) !== undefined).toBe(expected);
});

test.each<[string, KubeObject, KubeObject | undefined, Subject, string | undefined]>([
  [
    "a new namespace that does not allow it",
    namespace({ [enforce]: "baseline" }),
    undefined,
    onHost,
    'violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  ],
  // What the server was asked about it says itself, by what it exempts and we don't know.
  [
    "a namespace with another label",
    namespace({ [enforce]: "baseline", team: "a" }),
    namespace({ [enforce]: "baseline" }),
    onHost,
    undefined,
  ],
  [
    "a LimitRange that gives as much as it allows",
    range("Container", { max: { cpu: "1" } }),
    undefined,
    pod(),
    undefined,
  ],
  [
    "a LimitRange that allows less",
    range("Container", { max: { cpu: "1" } }),
    range("Container", { max: { cpu: "2" } }),
    twoCpus,
    "maximum cpu usage per Container is 1, but limit is 2",
  ],
  [
    "a new quota that asks for what is not set",
    quota({ "requests.cpu": "1", cpu: "1", memory: "1Gi", pods: "9" }),
    undefined,
    pod({ requests: { cpu: "1" } }),
    "failed quota: most: must specify memory for: web",
  ],
  [
    "a new quota, of a Pod that sets it as a whole",
    quota({ memory: "1Gi" }),
    undefined,
    pod({}, { resources: { requests: { memory: "1Mi" } } }),
    undefined,
  ],
  [
    "claims of another size",
    range("PersistentVolumeClaim", { min: { storage: "2Gi" }, max: { storage: "4Gi" } }),
    undefined,
    {
      kind: "PersistentVolumeClaim",
      claim: { spec: { resources: { requests: { storage: "8Gi" } } } },
    },
    "maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 8Gi",
  ],
])("what will be said by %s", (_, after, before, subject, expected) => {
  expect(refusalToCome([{ before, after }], subject)).toBe(expected);
});

test("a LimitRange gives what a quota of the same deployment asks for", () => {
  const grounds = [
    { before: undefined, after: quota({ "limits.cpu": "1" }) },
    { before: undefined, after: range("Container", { default: { cpu: "500m" } }) },
  ];
  expect(refusalToCome(grounds, pod())).toBeUndefined();
  expect(refusalToCome(grounds.slice(0, 1), pod())).toMatch(/must specify limits.cpu for: web/);
});
