import { describe, expect, test } from "vitest";
import { commandLines, diffKindOf, fileNameIn } from "../../docs/.vitepress/output.ts";

test.for([
  ["yaml", undefined],
  ["yaml file=.valuestream/qvs.yaml", ".valuestream/qvs.yaml"],
  ["yaml [.github/workflows/plan.yml]", ".github/workflows/plan.yml"],
] as const)("a fence %j shows the file %j", ([info, name]) => {
  expect(fileNameIn(info)).toBe(name);
});

test("a copy has the commands with their continuations, and no output", () => {
  const lines = ["$ first \\", "  --flag", "output \\", "more", "$ second"];
  expect(commandLines(lines)).toEqual([true, true, false, false, true]);
});

describe("the colors of output", () => {
  test.for([
    ["~ update  Deployment shop/web", "diff-changed"],
    ["- delete  Service shop/web: nothing reaches its Pods", "diff-removed"],
    ["    -image: registry.example/web:1.0.0", "diff-removed"],
    ["    +  colour: green", "diff-added"],
    ["    @@ spec › template › spec › containers › web @@", "diff-place"],
    ["       - configMapRef:", undefined],
    ["- To keep the change, commit it.", undefined],
    ["shop release 1 succeeded", undefined],
  ] as const)("%j: %j", ([line, kind]) => {
    expect(diffKindOf(line)).toBe(kind);
  });
});
