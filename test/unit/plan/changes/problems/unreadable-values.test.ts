import { expect, test } from "vitest";
import { unreadableValues } from "../../../../../src/plan/changes/problems/unreadable-values.ts";

const attempt = "unable to convert unstructured object to v1, Kind=X: ";
const fieldsFor = (object: object, reason: string) =>
  unreadableValues(object as never, { message: `${attempt}${reason}` }).map(({ field }) => field);

test("qvs finds every invalid quantity and nothing else", () => {
  const wrong = "quantities must match the regular expression '^x$'";
  const container = {
    name: "128MB",
    resources: { limits: { memory: "128MB", cpu: 0.5 }, requests: { cpu: " 1", memory: "1Gi" } },
    env: [{ name: "SIZE", value: "128MB" }],
  };
  const spec = { containers: [container], volumes: [{ emptyDir: { sizeLimit: "big" } }] };
  expect(fieldsFor({ kind: "Pod", spec }, wrong)).toEqual([
    "spec.containers[0].resources.limits.memory",
    "spec.containers[0].resources.requests.cpu",
    "spec.volumes[0].emptyDir.sizeLimit",
  ]);
  const hard = { "requests.cpu": "many", pods: 5 };
  expect(fieldsFor({ kind: "ResourceQuota", spec: { hard } }, wrong)).toEqual([
    'spec.hard["requests.cpu"]',
  ]);
});

test("a fraction is a valid quantity, but not a valid integer", () => {
  const spec = { replicas: 1.5, limits: { cpu: 0.5 }, parallelism: 2 };
  expect(fieldsFor({ spec }, "cannot convert float64 to int32")).toEqual(["spec.replicas"]);
});

test("invalid Base64 is found only in fields that contain bytes", () => {
  const object = { data: { note: "not encoded!" }, binaryData: { a: "not encoded!", b: "aGk=" } };
  expect(fieldsFor(object, "illegal base64 data at input byte 3")).toEqual(["binaryData.a"]);
});

test("qvs searches for no value if the API server reports another fault", () => {
  expect(unreadableValues({ spec: { replicas: 1.5 } }, { message: "replicas: invalid" })).toEqual(
    [],
  );
});
