import { expect, test } from "vitest";
import { toOutcomeReport } from "../../../../src/action/reports/report-outcomes.ts";
import {
  type DeploymentOutcome,
  deployInOrder,
} from "../../../../src/commands/several/deploy-changed.ts";
import type { DeployOutcome } from "../../../../src/deploying/deploy-outcome.ts";
import type { Deployment } from "../../../../src/model/deployments/deployment.ts";
import { userError } from "../../../../src/model/problems/errors.ts";
import { aftermath, alreadyWrittenText } from "../../../../src/report/outcome-report.ts";
import { shopDeployment } from "../../../support/shop/shop-report.ts";

const succeeded = { result: { succeeded: true } } as DeployOutcome;

function named(name: string, ...dependsOn: readonly string[]): Deployment {
  return shopDeployment({ name, dependsOn });
}

/** Returns one line for each outcome. */
function outcomeLines(outcomes: readonly DeploymentOutcome[]): readonly string[] {
  return outcomes.map((each) => {
    const name = each.deployment.name;
    if (each.type !== "refused") return `${name} ${each.type}`;
    return [name, each.problems[0]?.what, each.problems[0]?.why].filter(Boolean).join(" ");
  });
}

async function deployAll(
  deployments: readonly Deployment[],
  deployOne: (deployment: Deployment, cancel: () => void) => Promise<DeployOutcome>,
  listed = deployments,
): Promise<readonly string[]> {
  const controller = new AbortController();
  const one = (each: Deployment) => deployOne(each, () => controller.abort());
  return outcomeLines(
    await deployInOrder(deployments, listed, one, {
      signal: controller.signal,
      hasChanged: () => false,
    }),
  );
}

test("dependencies are deployed first, and a failure skips only its dependents", async () => {
  const all = [named("web", "database"), named("database"), named("docs")];
  const outcomes = await deployAll(all, async ({ name }) => {
    if (name === "database") throw userError("invalid-input", "no quota", "Ask for more");
    return succeeded;
  });
  expect(outcomes).toEqual([
    "database no quota",
    "docs done",
    'web "web" was not attempted It depends on "database", which failed',
  ]);
});

test("a skipped deployment isn't called failed, and its dependents name the cause", async () => {
  const all = [
    named("database"),
    named("api", "database"),
    named("queue"),
    named("web", "api"),
    named("jobs", "web", "queue"),
  ];
  const failing = (...names: readonly string[]) =>
    deployAll(all, async ({ name }) => {
      if (names.includes(name)) throw userError("invalid-input", "no quota", "Ask for more");
      return succeeded;
    });
  expect(await failing("database")).toEqual([
    "database no quota",
    "queue done",
    'api "api" was not attempted It depends on "database", which failed',
    'web "web" was not attempted It depends on "api", which was skipped because "database" failed',
    'jobs "jobs" was not attempted It depends on "web", which was skipped because "database" failed',
  ]);
  expect((await failing("database", "queue")).at(-1)).toBe(
    'jobs "jobs" was not attempted It depends on "queue", which failed',
  );
});

test("a bug in one deployment doesn't hide the outcome of the others", async () => {
  const outcomes = await deployAll([named("a"), named("b"), named("c", "b")], async ({ name }) => {
    if (name === "b") throw new TypeError("undefined is not a function");
    return succeeded;
  });
  expect(outcomes).toEqual([
    "a done",
    "b broken",
    'c "c" was not attempted It depends on "b", which failed',
  ]);
});

test("cancellation isn't a bug, and no further deployment begins", async () => {
  const begun: string[] = [];
  const all = ["a", "b", "c", "d", "e"].map((name) => named(name));
  const outcomes = await deployAll(all, async (each, cancel) => {
    begun.push(each.name);
    if (each.name === "d") cancel();
    await nextTurn();
    if (each.name === "a") return succeeded;
    throw new DOMException("This operation was aborted", "AbortError");
  });
  expect(begun).toEqual(["a", "b", "c", "d"]);
  expect(outcomes).toEqual([
    "a done",
    'b The run was canceled before "b" started',
    'c The run was canceled before "c" started',
    'd The run was canceled before "d" started',
    'e The run was canceled before "e" started',
  ]);
});

function nextTurn(): Promise<void> {
  return new Promise((next) => setImmediate(next));
}

/** Records the start and end of deployments. Each one ends when the test ends it. */
async function sideBySide(all: readonly Deployment[], listed = all) {
  const events: string[] = [];
  const running = new Map<string, () => void>();
  const done = deployAll(
    all,
    async ({ name }) => {
      events.push(`+${name}`);
      await new Promise<void>((end) => running.set(name, end));
      events.push(`-${name}`);
      return succeeded;
    },
    listed,
  );
  await nextTurn();
  while (running.size > 0) {
    const [[name, end]] = [...running] as [[string, () => void]];
    running.delete(name);
    end();
    await nextTurn();
  }
  await done;
  return events.join(" ");
}

test("independent deployments run in parallel, four at a time", async () => {
  const six = ["a", "b", "c", "d", "e", "f"].map((name) => named(name));
  expect(await sideBySide(six)).toBe("+a +b +c +d -a +e -b +f -c -d -e -f");
});

test("a deployment begins when its dependencies are done, also through unchanged deployments", async () => {
  const [a, b, c] = [named("a"), named("b"), named("c", "a")];
  expect(await sideBySide([c, b, a])).toBe("+a +b -a +c -b -c");
  const [first, between, last] = [named("x"), named("y", "x"), named("z", "y")];
  expect(await sideBySide([last, first], [last, between, first])).toBe("+x -x +z -z");
});

test("waiting deployments use no slot: five wait for the sixth", async () => {
  const waiting = ["a", "b", "c", "d", "e"].map((name) => named(name, "z"));
  expect(await sideBySide([...waiting, named("z")])).toBe("+z -z +a +b +c +d -a +e -b -c -d -e");
});

test("an unrequested AbortError is a bug", async () => {
  const outcomes = await deployAll([named("a")], async () => {
    throw new DOMException("This operation was aborted", "AbortError");
  });
  expect(outcomes).toEqual(["a broken"]);
});

test("a deployment that was rejected after a write reports the write", async () => {
  const refuse = async () => {
    throw userError("invalid-input", "the lock can't be taken", "Ask for it");
  };
  const outcomes = await deployInOrder([named("a"), named("b")], [named("a"), named("b")], refuse, {
    signal: new AbortController().signal,
    hasChanged: (name) => name === "a",
  });
  expect(outcomes.map((each) => each.type === "refused" && each.hasChanged)).toEqual([
    true,
    undefined,
  ]);
  const outcomeLines = outcomes.map((each) => aftermath(toOutcomeReport(each, "deploy")));
  expect(outcomeLines).toEqual([alreadyWrittenText, "Nothing was changed"]);
});
