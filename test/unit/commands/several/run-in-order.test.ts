import { expect, test } from "vitest";
import { type OrderedRun, runInOrder } from "../../../../src/commands/several/run-in-order.ts";
import { userError } from "../../../../src/model/problems/errors.ts";
import { plainDeployment } from "../../../support/shop/plain-deployment.ts";

const named = (name: string, ...dependsOn: readonly string[]) =>
  plainDeployment({ name, dependsOn });

const all = [named("web", "database"), named("database"), named("docs"), named("jobs", "web")];

/** Runs all, and returns the beginnings and ends in their order, and the types of the outcomes. */
async function played(
  options: Partial<OrderedRun<string>>,
  failing: readonly string[] = [],
  controller = new AbortController(),
) {
  const steps: string[] = [];
  let running = 0;
  let most = 0;
  const outcomes = await runInOrder(all, {
    all,
    dependencies: "required",
    standing: () => "ready",
    state: { signal: controller.signal, hasChanged: () => false },
    runOne: async ({ name }) => {
      steps.push(name);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      if (failing.includes(name)) throw userError("invalid-input", "no", "Write it");
      return name;
    },
    ...options,
  });
  const types = Object.fromEntries(outcomes.map(({ deployment, type }) => [deployment.name, type]));
  return { steps, most, types };
}

test("runs the levels in order, side by side within the bound", async () => {
  const { steps, most } = await played({});
  expect(steps).toEqual(["database", "docs", "web", "jobs"]);
  expect(most).toBe(2);
  expect((await played({ parallel: 1 })).most).toBe(1);
});

test("ignores dependencies that have no effect", async () => {
  const { steps, most, types } = await played({ dependencies: "ignored" }, ["database"]);
  expect([steps.toSorted(), most]).toEqual([["database", "docs", "jobs", "web"], 4]);
  expect(types).toEqual({ database: "refused", docs: "done", jobs: "done", web: "done" });
});

test("a failed dependency that only comes first skips nothing", async () => {
  const { types } = await played({ dependencies: "first" }, ["database"]);
  expect(types).toEqual({ database: "refused", docs: "done", jobs: "done", web: "done" });
});

test("reports each end once, also of skipped deployments", async () => {
  const ended: string[] = [];
  const onEnd: OrderedRun<string>["onEnd"] = ({ deployment, type }) =>
    ended.push(`${deployment.name} ${type}`);
  await played({ onEnd }, ["database"]);
  expect(ended.toSorted()).toEqual([
    "database refused",
    "docs done",
    "jobs refused",
    "web refused",
  ]);
});

test("after a cancellation, dependents are canceled and not blamed on a failure", async () => {
  const controller = new AbortController();
  const problems: string[] = [];
  const runOne = async ({ name }: { readonly name: string }) => {
    if (name === "database") controller.abort();
    controller.signal.throwIfAborted();
    return name;
  };
  const onEnd: OrderedRun<string>["onEnd"] = (end) => {
    if (end.type === "refused") problems.push(`${end.deployment.name} ${end.problems[0]?.code}`);
  };
  await played({ runOne, onEnd }, [], controller);
  expect(problems.toSorted()).toEqual(
    ["database", "docs", "jobs", "web"].map((name) => `${name} run-canceled`),
  );
});
