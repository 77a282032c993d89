import { expect, test } from "vitest";
import { unsupportedResources } from "../../../src/deploying/compile-desired-state.ts";
import type { ForeignResource } from "../../../src/model/sources/compilation.ts";

const chart: ForeignResource = {
  type: "foreign",
  stage: "app",
  id: "web",
  provider: "kubernetes-helm",
  content: {},
};

test("a chart without objects blocks, even if no problem is known", () => {
  for (const resource of [chart, { ...chart, problems: [] }])
    expect(unsupportedResources([resource]).map(({ code }) => code)).toEqual([
      "unsupported-provider",
    ]);
});

test("a chart that can't be rendered blocks with its own problems", () => {
  const problem = { code: "lock-file-outdated", where: [], what: "x", fix: "y" } as const;
  expect(unsupportedResources([{ ...chart, problems: [problem] }])).toEqual([problem]);
});
