import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../../src/model/cluster/api/api-failure.ts";
import {
  definedKinds,
  discoveryProblem,
  parseApiName,
  type ServedApis,
  withDefinitions,
  withoutKinds,
} from "../../../../../src/model/cluster/api/served-apis.ts";

test.each([
  ["v1", { apiVersion: "v1", kind: undefined }],
  ["v1/Pod", { apiVersion: "v1", kind: "Pod" }],
  ["apps/v1", { apiVersion: "apps/v1", kind: undefined }],
  ["apps/v1/Deployment", { apiVersion: "apps/v1", kind: "Deployment" }],
  ["v1.example/v1", { apiVersion: "v1.example/v1", kind: undefined }],
  ["apps", undefined],
  ["v1/Pod/x", undefined],
  ["a/b/c/d", undefined],
  ["../v1", undefined],
  ["", undefined],
  ["a b/v1", undefined],
])("the API %j has these parts", (name, parts) => {
  expect(parseApiName(name)).toEqual(parts);
});

const kind = (group: string, version: string, name: string) => ({
  ...{ group, version, kind: name },
  plural: `${name.toLowerCase()}s`,
});

test("a group version ends with its last kind", () => {
  const apis: ServedApis = withDefinitions({ kinds: [], names: ["v1/Eviction"], unreadable: [] }, [
    kind("", "v1", "Pod"),
    kind("a.example", "v1", "One"),
    kind("a.example", "v1", "Two"),
    kind("a.example", "v2", "Two"),
  ]);
  const without = (...names: readonly string[]) =>
    withoutKinds(apis, (each) => names.includes(each.kind)).names.join(" ");
  const core = "v1/Eviction v1 v1/Pod";
  expect(without()).toBe(
    `${core} a.example/v1 a.example/v1/One a.example/v1/Two a.example/v2 a.example/v2/Two`,
  );
  expect(without("Two")).toBe(`${core} a.example/v1 a.example/v1/One`);
  expect(without("One", "Two")).toBe(core);
});

test("a changed definition ends its other versions", () => {
  const before = withDefinitions({ kinds: [], names: ["v1"], unreadable: [] }, [
    kind("a.example", "v1beta1", "One"),
    kind("a.example", "v1", "Two"),
  ]);
  expect(withDefinitions(before, [kind("a.example", "v1", "One")]).names).toEqual([
    ...["v1", "a.example/v1", "a.example/v1/Two", "a.example/v1/One"],
  ]);
});

test("a definition serves only its served versions", () => {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      group: "a.example",
      names: { kind: "One", plural: "ones" },
      versions: [
        { name: "v1", served: true },
        { name: "v1beta1", served: false },
      ],
    },
  };
  expect(definedKinds([crd, { ...crd, kind: "ConfigMap" }, {}])).toEqual([
    { group: "a.example", version: "v1", kind: "One", plural: "ones" },
  ]);
});

const cluster = { server: "https://cluster.example" };
const unavailable = {
  reason: "other",
  status: 503,
  message: "HTTP 503: service unavailable",
} as const;
const unreachable = { reason: "unreachable", status: 0, message: "No answer" } as const;

test.each<[string, Omit<ApiFailure, "causes">, string, string]>([
  [
    "metrics.example/v1beta1",
    unavailable,
    "qvs can't find out whether the API server serves Thing of metrics.example/v1beta1: https://cluster.example: HTTP 503: service unavailable",
    "Run `kubectl describe apiservice v1beta1.metrics.example` to find the fault of its API server, then run again",
  ],
  [
    "apps/v1",
    unavailable,
    "qvs can't find out whether the API server serves Thing of apps/v1: https://cluster.example: HTTP 503: service unavailable",
    "Run again. If it fails again, ask a cluster administrator",
  ],
  [
    "metrics.example/v1beta1",
    unreachable,
    "qvs can't read the kinds that the API server serves: No answer",
    "Check that the cluster is running and that the kubeconfig has the correct server address",
  ],
])("a kind of %s with unknown discovery: %j", (apiVersion, failure, what, fix) => {
  const problem = discoveryProblem(
    cluster,
    { apiVersion, kind: "Thing" },
    { ...failure, causes: [] },
  );
  const evidence = [problem.why ?? [], (problem.facts ?? []).map(({ value }) => value)].flat();
  const text = [problem.what, ...evidence].join(": ");
  expect({ what: text, fix: problem.fix }).toEqual({ what, fix });
});
