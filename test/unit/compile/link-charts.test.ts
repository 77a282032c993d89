import { expect, test } from "vitest";
import { linkCharts } from "../../../src/compile/link-charts.ts";
import type { Manifest, Resource } from "../../../src/model/compilation.ts";
import type { ObjectInput } from "../../../src/model/config.ts";

const where = { file: "a.cue", line: 1, column: 1 };

function manifest(id: string, dependsOn: readonly string[] = []): Manifest {
  return { type: "manifest", stage: "app", id, object: {}, dependsOn };
}

function chart(id: string): Resource {
  return { type: "foreign", stage: "app", id, provider: "kubernetes-helm", content: {} };
}

/** Returns the objects of a chart in the group of its resource. */
function input(id: string, objects: readonly string[], dependsOn: readonly string[]): ObjectInput {
  const group = id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : undefined;
  return {
    ...{ title: "", stage: "app", group, where, files: [], params: [] },
    objects: objects.map((each) => ({ id: each, object: {}, where, places: [] })),
    replaces: { stage: "app", id, dependsOn },
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
  const resources = [...ids.map(chart), manifest("ns"), manifest("last", ["c0"])];
  expect(linked(resources, inputs)).toEqual(["ns after ", "last after ns"]);
});
