import { expect, test } from "vitest";
import type { ForeignResource } from "../../../../../src/model/sources/compilation.ts";
import { changedCharts } from "../../../../../src/sources/charts/adapters/render-adapter-charts.ts";

const chart: ForeignResource = {
  ...{ type: "foreign", stage: "app", id: "web", provider: "kubernetes-helm", content: {} },
  where: { file: "a.cue", line: 1, column: 1 },
};

test("a chart that exists only with the objects of other charts is an error", () => {
  expect(changedCharts([], [chart], new Set()).map(({ what }) => what)).toEqual([
    "Resource app/web depends on values that charts set",
  ]);
});

test("a chart that can't be rendered has its own problem", () => {
  expect(changedCharts([], [chart], new Set(["app/web"]))).toEqual([]);
});
