import { expect, test } from "vitest";
import { type DeploymentOutcome, deployInOrder } from "../../src/commands/deploy-changed.ts";
import type { Deployment } from "../../src/model/deployment.ts";
import { userError } from "../../src/model/errors.ts";
import type { DeployOutcome } from "../../src/runs/execute-plan.ts";
import { shopDeployment } from "../support/shop-report.ts";

const succeeded = { result: { succeeded: true } } as DeployOutcome;

function named(name: string, ...dependsOn: readonly string[]): Deployment {
  return shopDeployment({ name, dependsOn });
}

/** One line for each outcome. */
function told(outcomes: readonly DeploymentOutcome[]): readonly string[] {
  return outcomes.map((each) => {
    const name = each.deployment.name;
    if (each.type === "broken") return `${name} broken`;
    return `${name} ${each.type === "done" ? "done" : each.problems[0]?.what}`;
  });
}

async function deployAll(
  deployments: readonly Deployment[],
  deployOne: (deployment: Deployment, cancel: () => void) => Promise<DeployOutcome>,
): Promise<readonly string[]> {
  const controller = new AbortController();
  const one = (each: Deployment) => deployOne(each, () => controller.abort());
  return told(await deployInOrder(deployments, one, controller.signal));
}

test("dependencies come first; after a failure only what depends on it is left out", async () => {
  const all = [named("web", "database"), named("database"), named("docs")];
  const outcomes = await deployAll(all, async ({ name }) => {
    if (name === "database") throw userError("invalid-input", "no quota", "Ask for more");
    return succeeded;
  });
  expect(outcomes).toEqual([
    "database no quota",
    "docs done",
    "web web was not attempted, because database, which it depends on, failed",
  ]);
});

test("a bug met with one deployment does not hide what became of the others", async () => {
  const outcomes = await deployAll([named("a"), named("b"), named("c", "b")], async ({ name }) => {
    if (name === "b") throw new TypeError("undefined is not a function");
    return succeeded;
  });
  expect(outcomes).toEqual([
    "a done",
    "b broken",
    "c c was not attempted, because b, which it depends on, failed",
  ]);
});

test("being cancelled is no bug, and nothing more is begun", async () => {
  const begun: string[] = [];
  const outcomes = await deployAll([named("a"), named("b"), named("c")], async (each, cancel) => {
    begun.push(each.name);
    if (each.name === "a") return succeeded;
    cancel();
    throw new DOMException("This operation was aborted", "AbortError");
  });
  expect(begun).toEqual(["a", "b"]);
  expect(outcomes).toEqual([
    "a done",
    "b The run was cancelled before b started",
    "c The run was cancelled before c started",
  ]);
});

test("an AbortError that nobody asked for is a bug", async () => {
  const outcomes = await deployAll([named("a")], async () => {
    throw new DOMException("This operation was aborted", "AbortError");
  });
  expect(outcomes).toEqual(["a broken"]);
});
