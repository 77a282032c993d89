import { describe, expect, it } from "vitest";
import { referencesIn, replaceReferences, valueAt } from "../../src/model/references.ts";

const ids = new Set(["web", "web.public", "group/web"]);
const live = { status: { ip: "10.0.0.7", port: 80, names: ["a", "b"], "x.y": true } };

const cases = [
  { name: "alone keeps its type", text: "$(ref.web.status.port)", expected: 80 },
  {
    name: "inside text becomes text",
    text: "http://$(ref.web.status.ip):$(ref.web.status.port)/",
    expected: "http://10.0.0.7:80/",
  },
  { name: "takes a list item by its index", text: "$(ref.web.status.names[1])", expected: "b" },
  { name: "takes a quoted field with dots", text: '$(ref.web.status["x.y"])', expected: true },
  { name: "may be to a resource of a group", text: "$(ref.group/web.status.port)", expected: 80 },
  { name: "means the longest id", text: "$(ref.web.public.status.port)", expected: 80 },
  {
    name: "to no known resource is text",
    text: "$(ref.other.status.port)",
    expected: "$(ref.other.status.port)",
  },
  {
    name: "to a field that is not there stays as written",
    text: "at $(ref.web.status.no)",
    expected: "at $(ref.web.status.no)",
  },
];

describe("a reference", () => {
  it.each(cases)("$name", ({ text, expected }) => {
    const value = replaceReferences({ list: [text] }, ids, ({ path }) => valueAt(live, path));
    expect(value).toEqual({ list: [expected] });
  });

  it("is found with its id, path and text", () => {
    expect(referencesIn({ a: ["x $(ref.web.public.status.names[0]) y"] }, ids)).toEqual([
      {
        id: "web.public",
        path: ["status", "names", 0],
        text: "$(ref.web.public.status.names[0])",
      },
    ]);
  });
});
