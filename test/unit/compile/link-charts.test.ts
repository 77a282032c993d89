import { expect, test } from "vitest";
import { linkCharts } from "../../../src/compile/link-charts.ts";
import type {
  ForeignResource,
  Manifest,
  Resource,
  Stage,
} from "../../../src/model/sources/compilation.ts";
import type { ObjectInput } from "../../../src/model/sources/config.ts";

const where = { file: "a.cue", line: 1, column: 1 };

function manifest(id: string, dependsOn: readonly string[] = [], stage: Stage = "app"): Manifest {
  return { type: "manifest", stage, id, object: {}, dependsOn };
}

function chart(id: string, stage: Stage = "app"): Resource {
  return { type: "foreign", stage, id, provider: "kubernetes-helm", content: {} };
}

/** Returns the objects of a chart in the group of its resource. */
function input(
  id: string,
  objects: readonly string[],
  dependsOn: readonly string[],
  stage: Stage = "app",
): ObjectInput {
  const group = id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : undefined;
  return {
    ...{ title: "", stage, group, where, files: [], params: [] },
    objects: objects.map((each) => ({ id: each, object: {}, where, places: [] })),
    replaces: { stage, id, dependsOn, content: {} },
  };
}

/** Returns each resource with its dependencies. */
function linked(resources: readonly Resource[], inputs: readonly ObjectInput[]) {
  const found = linkCharts(resources, inputs);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.value.map((each) =>
    each.type === "manifest" ? `${each.id} after ${each.dependsOn}` : `${each.id} (shown)`,
  );
}

test("a chart is replaced by its objects, with the dependencies of both directions", () => {
  const resources = [
    manifest("ns"),
    chart("web"),
    manifest("a"),
    manifest("b", ["x"]),
    manifest("last", ["web", "ns"]),
  ];
  expect(linked(resources, [input("web", ["a", "b"], ["ns"])])).toEqual([
    "ns after ",
    "a after ns",
    "b after ns,x",
    "last after a,b,ns",
  ]);
});

test("a chart waits for the objects of another chart, in its group", () => {
  const resources = [chart("g/db"), chart("web"), manifest("g/a"), manifest("b")];
  expect(linked(resources, [input("g/db", ["a"], []), input("web", ["b"], ["g/db"])])).toEqual([
    "g/a after ",
    "b after g/a",
  ]);
});

test("a chart without objects passes its dependencies on", () => {
  const resources = [manifest("ns"), chart("one"), chart("two"), manifest("last", ["two"])];
  expect(linked(resources, [input("one", [], ["ns", "two"]), input("two", [], ["one"])])).toEqual([
    "ns after ",
    "last after ns",
  ]);
});

test("a chart that isn't rendered stays", () => {
  expect(linked([chart("web"), chart("db")], [input("db", [], [])])).toEqual(["web (shown)"]);
});

test("charts without objects that all wait for each other are read once", () => {
  const ids = Array.from({ length: 50 }, (_, index) => `c${index}`);
  const inputs = ids.map((id) => input(id, [], [...ids, "ns"]));
  const resources = [...ids.map((id) => chart(id)), manifest("ns"), manifest("last", ["c0"])];
  expect(linked(resources, inputs)).toEqual(["ns after ", "last after ns"]);
});

test("an object that another resource hides is an error", () => {
  const other = chart("redis/main");
  const inputs = [input("redis/main", ["configmap/x"], []), input("shop", ["redis/main"], [])];
  const resources = [other, manifest("redis/configmap/x"), chart("shop")];
  const found = linkCharts(resources, inputs);
  expect(found.ok ? [] : found.problems.map(({ code, what }) => ({ code, what }))).toEqual([
    {
      code: "duplicate-object",
      what: "Resource app/redis/main of an adapter has the id of an object of a file or a chart",
    },
  ]);
});

test("an object that becomes an object of Pulumi is an error", () => {
  const resources = [{ ...manifest("a"), pulumi: true as const }, chart("web")];
  const found = linkCharts(resources, [input("web", ["a"], [])]);
  expect(found.ok ? [] : found.problems.map(({ code }) => code)).toEqual(["duplicate-object"]);
});

test("a chart whose content changed after its objects were added is an error", () => {
  const changed: Resource = { ...(chart("web") as ForeignResource), content: { values: { a: 1 } } };
  const found = linkCharts([changed, manifest("a")], [input("web", ["a"], [])]);
  expect(found.ok ? [] : found.problems.map(({ what }) => what)).toEqual([
    "Resource app/web depends on objects of charts",
  ]);
});

test("an id of two stages means the resource of the own stage", () => {
  const resources = [
    chart("web", "appSetup"),
    manifest("a", [], "appSetup"),
    manifest("web"),
    manifest("b", ["web"]),
  ];
  expect(linked(resources, [input("web", ["a"], [], "appSetup")])).toEqual([
    "a after ",
    "web after ",
    "b after web",
  ]);
});

test("two charts with one id keep their own objects", () => {
  const resources = [
    chart("web", "appSetup"),
    manifest("a", [], "appSetup"),
    manifest("first", ["web"], "appSetup"),
    chart("web"),
    manifest("b"),
    manifest("last", ["web"]),
  ];
  const inputs = [input("web", ["a"], [], "appSetup"), input("web", ["b"], [])];
  expect(linked(resources, inputs)).toEqual([
    "a after ",
    "first after a",
    "b after ",
    "last after b",
  ]);
});

test("the dependencies between charts have a limit", () => {
  const names = (chartName: string) =>
    Array.from({ length: 400 }, (_, index) => `${chartName}${index}`);
  const [a, b] = [names("a"), names("b")];
  const inputs = [input("one", a, []), input("two", b, ["one"])];
  const found = linkCharts(
    [chart("one"), chart("two"), ...[...a, ...b].map((id) => manifest(id))],
    inputs,
  );
  expect(found.ok ? [] : found.problems.map(({ what }) => what)).toEqual([
    "Resource app/two waits for too many objects of one",
  ]);
});
