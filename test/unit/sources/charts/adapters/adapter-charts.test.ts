import { expect, test } from "vitest";
import type { Json } from "../../../../../src/model/json.ts";
import type { ForeignResource } from "../../../../../src/model/sources/compilation.ts";
import { readAdapterCharts } from "../../../../../src/sources/charts/adapters/adapter-charts.ts";

const where = { file: "a.cue", line: 1, column: 1 };

/** Returns the secret parameters of a chart whose values contain `password`. */
function secretParams(value: Json, password: Json): readonly string[] {
  const chart: ForeignResource = {
    ...{ type: "foreign", stage: "app", id: "web", provider: "kubernetes-helm", where },
    content: { chart: "web", version: "1.0.0", values: { password } },
  };
  const params = [{ name: "x", value, where, from: ["given"] }];
  const found = readAdapterCharts([chart], {
    config: {
      file: "qvs.yaml",
      designPatterns: [{ pattern: "a.example/web", params, where, group: undefined }],
    },
    params: { given: value },
    inline: ["given"],
    namespace: "shop",
  });
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.value.secretParams;
}

const texts = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test("a parameter in a text below a sensitive name is a secret", () => {
  expect(secretParams("hunter2", "u:hunter2@h")).toEqual(["given"]);
  expect(secretParams({ a: ["hunter2"] }, ["u:hunter2@h"])).toEqual(["given"]);
  expect(secretParams("hunter2", "other")).toEqual([]);
});

test("a number or a short text is a secret only if it is the whole text", () => {
  for (const value of [1, "1", "abc12", 1234567]) {
    expect(secretParams(value, `u:${value}@h`)).toEqual([]);
    expect(secretParams(value, `${value}`)).toEqual(["given"]);
  }
  expect(secretParams(1234, 1234)).toEqual(["given"]);
  expect(secretParams("abc123", "u:abc123@h")).toEqual(["given"]);
});

test("a parameter that is too large to search for counts as a secret", () => {
  expect(secretParams(texts(20_000, "first-"), texts(20_000, "b"))).toEqual(["given"]);
  expect(secretParams(texts(100, "first-"), texts(100, "b"))).toEqual([]);
});

test("a text that repeats is searched for once", () => {
  const [many, one] = [Array(20_000).fill("aaaaaaaa"), Array(20_000).fill("bbbbbbbb")];
  expect(secretParams(many, one)).toEqual([]);
});
