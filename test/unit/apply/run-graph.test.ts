import { expect, it } from "vitest";
import { runGraph } from "../../../src/apply/apply-plan.ts";

function step(key: string, ...after: readonly string[]) {
  return { key, after: after.map((on) => ({ on, reason: "" })) };
}

async function ran(steps: readonly ReturnType<typeof step>[], failing = ""): Promise<string> {
  const started: string[] = [];
  await runGraph(steps, async ({ key }) => {
    started.push(key);
    return key !== failing;
  });
  return started.join(" ");
}

it("steps run after their dependencies, and in parallel otherwise", async () => {
  expect(await ran([step("a"), step("b", "a"), step("c"), step("d", "b", "c")])).toBe("a c b d");
});

it("steps after an unfinished step don't run, and all others do", async () => {
  expect(await ran([step("a"), step("b", "a"), step("c", "b"), step("d")], "a")).toBe("a d");
});

it("an edge to an unknown step is satisfied", async () => {
  expect(await ran([step("a", "elsewhere")])).toBe("a");
});

it("a step before its dependency is rejected before any step runs", async () => {
  await expect(ran([step("a", "b"), step("b")])).rejects.toThrow("The plan lists a before b");
});
