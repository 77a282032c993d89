import { expect, test } from "vitest";
import { exclusiveValueConflict } from "../../../../src/preflight/rules/exclusive-value-conflict.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText } from "./run-rule.ts";

const services = (one: string, other: string) => `
app/one: {apiVersion: v1, kind: Service, metadata: {name: one}, spec: ${one}}
app/other: {apiVersion: v1, kind: Service, metadata: {name: other}, spec: ${other}}
`;

const definitions = (one: string, other: string) => `
app/one: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: one}, spec: ${one}}
app/other: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: other}, spec: ${other}}
`;

const pair = (apiVersion: string, kind: string, rest: string) => `
app/one: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: one}, ${rest}}
app/other: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: other}, ${rest}}
`;

const port = (nodePort: number, more = "") => `{ports: [{port: 80, nodePort: ${nodePort}${more}}]}`;

const names = (group: string, text: string) => `{group: ${group}, names: ${text}}`;

const givenToFirst = "The API server gives it to the first object, and rejects the other object";

const oneOfAGroup =
  "The API server accepts each name in a group for one CustomResourceDefinition only, and never serves the kind of the other";

const both = (claim: string) => `error: Service shop/other and Service shop/one both claim ${claim}
  ${givenToFirst}`;

const bothDefine = (claim: string) =>
  `error: CustomResourceDefinition other and CustomResourceDefinition one both claim ${claim}
  ${oneOfAGroup}`;

const foos = { group: "a.example", kind: "Foo", plural: "foos", names: ["foo", "fo"] };

const brought = (text: string, name = "bars.a.example") =>
  `app/one: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ${name}}, spec: ${names("a.example", text)}}`;

const hasThem = (claim: string) =>
  `error: CustomResourceDefinition bars.a.example and CustomResourceDefinition foos.a.example both claim ${claim} of a.example
  ${oneOfAGroup}`;

test.each([
  ["one node port", services(port(30080), port(30080)), both("the node port 30080")],
  [
    "one node port for two protocols",
    services(port(30080), port(30080, ", protocol: UDP")),
    both("the node port 30080"),
  ],
  [
    "a node port and a health check node port",
    services(port(30080), "{healthCheckNodePort: 30080}"),
    both("the node port 30080"),
  ],
  ["two node ports", services(port(30080), port(30081)), ""],
  [
    "one node port for two ports of one Service",
    services("{ports: [{nodePort: 30080}, {nodePort: 30080, protocol: UDP}]}", "{}"),
    "",
  ],
  [
    "one address",
    services("{clusterIP: 10.0.0.9}", "{clusterIPs: [10.0.0.9]}"),
    both("the address 10.0.0.9"),
  ],
  ["no address", services("{clusterIP: None}", "{clusterIP: None}"), ""],
  [
    "one kind",
    definitions(
      names("a.example", "{kind: Foo, plural: foos}"),
      names("a.example", "{kind: Foo, plural: fooz}"),
    ),
    bothDefine("the kind Foo of a.example"),
  ],
  [
    "one kind of two groups",
    definitions(
      names("a.example", "{kind: Foo, plural: foos}"),
      names("b.example", "{kind: Foo, plural: foos}"),
    ),
    "",
  ],
  [
    "a short name and a singular",
    definitions(
      names("a.example", "{kind: Foo, plural: foos}"),
      names("a.example", "{kind: Bar, plural: bars, shortNames: [foo]}"),
    ),
    bothDefine("the resource foo of a.example"),
  ],
  [
    "one volume",
    pair("v1", "PersistentVolumeClaim", "spec: {volumeName: data}"),
    `error: PersistentVolumeClaim shop/other and PersistentVolumeClaim shop/one both claim PersistentVolume data
  A PersistentVolume is bound to the first PersistentVolumeClaim, and the other claim waits for it`,
  ],
  ["no volume", pair("v1", "PersistentVolumeClaim", "spec: {}"), ""],
  [
    "the default",
    pair("scheduling.k8s.io/v1", "PriorityClass", "globalDefault: true"),
    `error: PriorityClass other and PriorityClass one both claim to be the default PriorityClass
  A cluster has only one, and the API server rejects the other`,
  ],
  ["not the default", pair("scheduling.k8s.io/v1", "PriorityClass", "globalDefault: false"), ""],
])("two objects use the same value: %s", (_, declared, expected) => {
  expect(findingsText(exclusiveValueConflict, requirePlan({ declared }), {})).toBe(expected);
});

test("qvs compares a changed object with unchanged objects and with upstream deployments", () => {
  const before = services(port(30080), port(30081));
  const swapped = services(port(30082), port(30082));
  const changed = requirePlan({ before, declared: swapped });
  expect(findingsText(exclusiveValueConflict, changed, {})).toBe(both("the node port 30082"));
  // The API server rejects the dry-run of the second object, because the first one keeps the value.
  const kept = requirePlan({ before, declared: services(port(30080), port(30080)) });
  expect(findingsText(exclusiveValueConflict, kept, {})).toBe("");
  const [first] = requirePlan({ declared: services(port(30080), "{}") }).changes;
  const later = requirePlan({
    declared: services(port(30080), "{}").split("app/other")[0]?.replaceAll("one", "two") ?? "",
  });
  if (first === undefined) throw new Error("nothing planned");
  expect(
    findingsText(exclusiveValueConflict, later, {
      upstreamChanges: [{ ...first, deployment: "base" }],
    }),
  ).toContain("Service shop/two and Service shop/one both claim the node port 30080");
});

test.each([
  ["kind", brought("{kind: Foo, plural: bars}"), hasThem("the kind Foo")],
  ["the kind of lists", brought("{kind: FooList, plural: bars}"), hasThem("the kind FooList")],
  ["short name", brought("{kind: B, plural: bars, shortNames: [fo]}"), hasThem("the resource fo")],
  ["singular", brought("{kind: B, plural: bars, singular: foo}"), hasThem("the resource foo")],
  ["nothing", brought("{kind: B, plural: bars}"), ""],
  ["only its own names", brought("{kind: Foo, plural: foos}", "foos.a.example"), ""],
])(
  "a new CustomResourceDefinition conflicts with a name of an existing one: %s",
  (_, declared, expected) => {
    expect(findingsText(exclusiveValueConflict, requirePlan({ declared }), { kinds: [foos] })).toBe(
      expected,
    );
  },
);
