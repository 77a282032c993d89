import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  type AdmissionSubject,
  type NewPod,
  toNewPod,
} from "../../../../src/validation/admission/admission-subject.ts";
import {
  liftingPolicy,
  predictedRejection,
} from "../../../../src/validation/admission/changed-namespace-policies.ts";

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

function pod(resources: JsonObject = {}, spec: JsonObject = {}): NewPod {
  const whole = { spec: { containers: [{ name: "web", resources }], ...spec } };
  return { ...toNewPod(whole, undefined, undefined), hasAllDefaults: true };
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

test.each<
  [string, KubeObject, KubeObject | undefined, ApiFailure, AdmissionSubject | undefined, boolean]
>([
  ["an unchanged quota", quota({ pods: "2" }), quota({ pods: "2" }), exceeded, undefined, false],
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
    "a quota that still requires a limit",
    quota({ "limits.cpu": "1", pods: "3" }),
    quota({ "limits.cpu": "1" }),
    unset,
    pod(),
    false,
  ],
  [
    "a quota that requires no limit any more",
    quota({ pods: "3" }),
    quota({ "limits.cpu": "1" }),
    unset,
    pod(),
    true,
  ],
  [
    "a LimitRange that sets the limit",
    range("Container", { default: { cpu: "1" } }),
    undefined,
    unset,
    pod(),
    true,
  ],
  [
    "a LimitRange that sets another limit",
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
    "a LimitRange that wasn't the reason",
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
])("qvs decides if %s lifts a rejection", (_, after, before, failure, subject, expected) => {
  expect(liftingPolicy(failure, [{ before, after }], subject) !== undefined).toBe(expected);
});

test.each<[string, KubeObject, KubeObject | undefined, AdmissionSubject, string | undefined]>([
  [
    "a new namespace that doesn't allow it",
    namespace({ [enforce]: "baseline" }),
    undefined,
    onHost,
    'violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  ],
  // The server's own answer covers this, because its exemptions are unknown here.
  [
    "a namespace with another label",
    namespace({ [enforce]: "baseline", team: "a" }),
    namespace({ [enforce]: "baseline" }),
    onHost,
    undefined,
  ],
  [
    "a LimitRange whose defaults are equal to its maximum",
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
    "a new quota that requires a missing value",
    quota({ "requests.cpu": "1", cpu: "1", memory: "1Gi", pods: "9" }),
    undefined,
    pod({ requests: { cpu: "1" } }),
    "failed quota: most: must specify memory for: web",
  ],
  [
    "a new quota, for a Pod that sets the value as a whole",
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
  [
    "a LimitRange whose default is less than the request",
    range("Container", { default: { memory: "512Mi" } }),
    undefined,
    pod({ requests: { memory: "1Gi" } }),
    'spec.containers[0].resources.requests: Invalid value: "1Gi": must be less than or equal to memory limit of 512Mi',
  ],
  [
    "a LimitRange that gives a container more than its Pod's own limit",
    range("Container", { default: { cpu: "500m" }, defaultRequest: { cpu: "200m" } }),
    undefined,
    pod({}, { resources: { limits: { cpu: "100m" } } }),
    '[spec.resources.requests[cpu]: Invalid value: "100m": must be greater than or equal to aggregate container requests of 200m, spec.resources.containers[0][cpu].limits: Invalid value: "500m": must be less than or equal to pod limits of 100m]',
  ],
  [
    "a LimitRange that gives a container its Pod's own limit",
    range("Container", { default: { cpu: "100m", memory: "1Gi" } }),
    undefined,
    pod({}, { resources: { requests: { cpu: "100m" }, limits: { cpu: "100m" } } }),
    undefined,
  ],
  [
    "a LimitRange next to an unknown one, about an unset value",
    range("Pod", { max: { memory: "1Gi" }, min: { cpu: "1" } }),
    undefined,
    { ...pod({ requests: { cpu: "500m" } }), hasAllDefaults: false },
    undefined,
  ],
  [
    "a LimitRange next to an unknown one, about a set value",
    range("Container", { max: { cpu: "1" }, min: { memory: "1Gi" } }),
    undefined,
    { ...pod({ limits: { cpu: "2" } }), hasAllDefaults: false },
    "maximum cpu usage per Container is 1, but limit is 2",
  ],
  [
    "a quota next to an unknown LimitRange",
    quota({ "limits.cpu": "1" }),
    undefined,
    { ...pod(), hasAllDefaults: false },
    undefined,
  ],
  [
    "a LimitRange without defaults for a container that a webhook has added",
    {
      ...range("Pod", { max: { cpu: "1" } }),
      spec: {
        limits: [
          { type: "Container", default: { cpu: "500m" } },
          { type: "Pod", max: { cpu: "1" } },
        ],
      },
    },
    undefined,
    {
      ...pod({ limits: { cpu: "800m" } }),
      spec: {
        containers: [
          { name: "web", resources: { limits: { cpu: "800m" } } },
          { name: "proxy", resources: { requests: { cpu: "10m" }, limits: { cpu: "100m" } } },
        ],
      },
    },
    undefined,
  ],
  [
    "a limit of the whole Pod, which isn't a request if containers have one",
    range("Pod", { maxLimitRequestRatio: { cpu: "10" } }),
    undefined,
    pod({ requests: { cpu: "100m" } }, { resources: { limits: { cpu: "64" } } }),
    "cpu max limit to request ratio per Pod is 10, but provided ratio is 640.000000",
  ],
])("the rejection is predicted by %s", (_, after, before, subject, expected) => {
  expect(predictedRejection([{ before, after }], subject)).toBe(expected);
});

test("a LimitRange sets the values that a quota of the same deployment needs", () => {
  const grounds = [
    { before: undefined, after: quota({ "limits.cpu": "1" }) },
    { before: undefined, after: range("Container", { default: { cpu: "500m" } }) },
  ];
  expect(predictedRejection(grounds, pod())).toBeUndefined();
  expect(predictedRejection(grounds.slice(0, 1), pod())).toMatch(
    /must specify limits.cpu for: web/,
  );
});

test("the values that a LimitRange has set are removed with it, unless they are declared", () => {
  const before = range("Container", { default: { memory: "64Mi", cpu: "1" } });
  const limits = { memory: "64Mi", cpu: "1" };
  const admitted = { ...pod({ limits: { cpu: "1" } }), spec: pod({ limits }).spec };
  const grounds = [
    { before, after: range("Container", { max: { "ephemeral-storage": "1Gi" } }) },
    { before: undefined, after: quota({ "limits.cpu": "1", "limits.memory": "1Gi" }) },
  ];
  expect(predictedRejection(grounds, admitted)).toBe(
    "failed quota: most: must specify limits.memory for: web",
  );
});

test.each([
  ["neither sets enough", "200m", true],
  ["one of them sets enough", "500m", false],
])("the API server uses the defaults of either LimitRange: %s", (_, other, isRefused) => {
  const ranges = ["100m", other].map((cpu) => range("Container", { default: { cpu } }));
  for (const ordered of [ranges, ranges.toReversed()]) {
    const grounds = ordered.map((after) => ({ before: undefined, after }));
    const rejection = predictedRejection(grounds, pod({ requests: { cpu: "300m" } }));
    expect(rejection !== undefined).toBe(isRefused);
  }
});
