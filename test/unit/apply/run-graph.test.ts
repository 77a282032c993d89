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

it("steps run once all that they come after are done, and side by side otherwise", async () => {
  expect(await ran([step("a"), step("b", "a"), step("c"), step("d", "b", "c")])).toBe("a c b d");
});

it("nothing after a step that is not done runs, and everything else does", async () => {
  expect(await ran([step("a"), step("b", "a"), step("c", "b"), step("d")], "a")).toBe("a d");
});

it("an edge to something that is no step is satisfied", async () => {
  expect(await ran([step("a", "elsewhere")])).toBe("a");
});

it("a step before one that it comes after is refused before anything runs", async () => {
  await expect(ran([step("a", "b"), step("b")])).rejects.toThrow("The plan lists a before b");
});
