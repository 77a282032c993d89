import { describe, expect, test } from "vitest";
import { toJson } from "../../../../src/config/read-typed.ts";
import { textAt } from "../../../../src/model/json.ts";
import { chartObjects } from "../../../../src/sources/charts/chart-objects.ts";
import { hookPhase } from "../../../../src/sources/charts/hooks.ts";
import { inputs, readCases } from "../../../support/render/cases.ts";
import { openRenderer, renderEngines } from "../../../support/render/engines.ts";

const cases = readCases().flatMap((each) =>
  "request" in each && typeof each.expected === "string" ? [each] : [],
);

describe.skipIf(inputs === undefined)("the objects of real charts", () => {
  const renderer = openRenderer(renderEngines[0]);

  test.for(cases.map((each) => [each.title, each] as const))("%s", ([, { request }]) => {
    const { result } = renderer.renderHelm(request);
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    const { namespace } = request;
    const placeOf = (file: string) => ({ file, line: 1, column: 1 });
    const context = { stage: "app", namespace, crds: true, hidden: [], placeOf } as const;
    const objects = chartObjects(result.value, context);
    if (!objects.ok) throw new Error(JSON.stringify(objects.problems));
    const hooksIn = (phase: string) => result.value.hooks.filter((h) => hookPhase(h) === phase);
    const named = (stage: "appSetup" | "app") =>
      objects.value.stages[stage].map((each) => textAt(toJson(each), "metadata", "name"));
    const names = (phase: string) => hooksIn(phase).map(({ name }) => name);
    expect(named("appSetup")).toEqual(expect.arrayContaining(names("before")));
    expect(named("app")).toEqual(expect.arrayContaining(names("after")));
    expect(named("app").length).toBeGreaterThan(names("after").length);
  });
});
