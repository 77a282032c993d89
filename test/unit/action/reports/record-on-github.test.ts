import { expect, test } from "vitest";
import { createRecorder } from "../../../../src/action/reports/record-on-github.ts";
import type { DeployOutcome } from "../../../../src/deploying/deploy-outcome.ts";
import type {
  DeploymentStatus,
  GitHubDeployments,
  NewDeployment,
} from "../../../../src/io/github/deployments.ts";
import type { Deployment } from "../../../../src/model/deployments/deployment.ts";
import type { Release } from "../../../../src/model/deployments/release.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { asStep } from "../../../support/plan/step.ts";

interface Stored extends NewDeployment {
  readonly id: number;
  readonly statuses: DeploymentStatus[];
}

/** Creates a GitHub in memory. `record-on-github.long.test.ts` checks the form of the requests. */
function inMemory(refuse: () => Error | undefined = () => undefined) {
  const all: Stored[] = [];
  const find = (id: number) => all.find((each) => each.id === id);
  const checked = async () => {
    const error = refuse();
    if (error !== undefined) throw error;
  };
  const github: GitHubDeployments = {
    async create(deployment) {
      await checked();
      all.push({ ...deployment, id: all.length + 1, statuses: [] });
      return all.length;
    },
    async setStatus(id, status) {
      await checked();
      find(id)?.statuses.push(status);
    },
    list: async (environment, task) =>
      all.filter((each) => each.environment === environment && each.task === task).toReversed(),
    stateOf: async (id) => find(id)?.statuses.at(-1)?.state,
  };
  return { all, github };
}

const deploymentCalled = (name: string) =>
  ({ name, namespace: "prod", environment: "production" }) as Deployment;

const url = { "vs.axis-dev.io/url": "https://shop.example" };
const plan = {
  digest: "d1635t",
  changes: [
    {
      desired: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", annotations: url },
        spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } },
      },
    },
  ],
} as unknown as Plan;

interface How {
  readonly result?: Partial<Extract<DeployOutcome, { type: "deployed" }>["result"]>;
  readonly more?: object;
  readonly throws?: string;
  /** True if the run changed nothing. */
  readonly unchanged?: boolean;
}

/** Runs one deployment of these releases, one after the other. */
async function run(
  { github }: ReturnType<typeof inMemory>,
  releases: Readonly<Record<string, Partial<Release>>>,
  how: How = {},
) {
  const { result, more, throws } = how;
  const done = Object.entries(releases).map(([name, facts]) => ({
    name,
    release: { revision: 1, rollbackOf: undefined, ...facts } as Release,
  }));
  return asStep(async () => {
    const onGitHub = createRecorder(github, {
      commit: "c0ffee",
      runUrl: "https://github.com/acme/shop/actions/runs/1",
      environmentUrl: undefined,
    });
    for (const { name, release } of done) {
      await onGitHub
        .recordRun(deploymentCalled(name), async (announce) => {
          if (how.unchanged !== true) announce?.(release, plan);
          if (throws !== undefined) throw new Error(throws);
          const ended = { succeeded: true, stopped: undefined, ...result };
          return { type: "deployed", release, result: ended, ...more } as unknown as DeployOutcome;
        })
        .catch((error: Error) => expect(error.message).toBe(throws));
    }
    await onGitHub.flush();
  });
}

/** Returns lines such as `shop 1: in_progress, success`, in the order of creation. */
function statusLines({ all }: ReturnType<typeof inMemory>): readonly string[] {
  return all.map(({ payload, statuses }) => {
    const { qvs, release } = payload as { qvs: string; release: number };
    return `${qvs} ${release}: ${statuses.map(({ state }) => state).join(", ")}`;
  });
}

test("a deployment becomes a GitHub deployment with its release, and replaces the previous one", async () => {
  const github = inMemory();
  await run(github, { shop: { revision: 1 }, pay: { revision: 7 } });
  await run(github, { shop: { revision: 2 } });
  expect(statusLines(github)).toEqual([
    "shop 1: in_progress, success, inactive",
    "pay 7: in_progress, success",
    "shop 2: in_progress, success",
  ]);
  const [, , second] = github.all;
  expect(second).toMatchObject({
    ref: "c0ffee",
    environment: "production",
    description: "Release 2",
    payload: {
      qvs: "shop",
      namespace: "prod",
      release: 2,
      planDigest: "d1635t",
      images: ["web:2"],
    },
  });
  expect(second?.statuses[1]).toMatchObject({
    logUrl: "https://github.com/acme/shop/actions/runs/1",
    environmentUrl: "https://shop.example",
  });
});

test("a rollback ends the previous GitHub deployment and creates a new one", async () => {
  const github = inMemory();
  await run(github, { shop: { revision: 1 } });
  await run(github, { shop: { revision: 2 } });
  await run(github, { shop: { revision: 3, rollbackOf: 1 } });
  expect(statusLines(github)).toEqual([
    "shop 1: in_progress, success, inactive",
    "shop 2: in_progress, success, inactive",
    "shop 3: in_progress, success",
  ]);
  expect(github.all[2]).toMatchObject({
    description: "Release 3 (rollback to release 1)",
    payload: { rollbackOf: 1 },
  });
});

test.each([
  [
    true,
    "Release 2 failed; release 3 (rollback to release 1) is current now",
    ["success, inactive", "failure", "success"],
  ],
  [
    false,
    "Release 2 failed; the rollback to release 1 failed too",
    ["success", "failure", "failure"],
  ],
])("a failed deployment shows the current release, back: %s", async (succeeded, why, states) => {
  const github = inMemory();
  await run(github, { shop: { revision: 1 } });
  const back = { release: { revision: 3, rollbackOf: 1 }, plan, result: { succeeded } };
  const outcome = { type: "deployed", isNewRelease: true, ...back };
  const more = { wentBack: { type: "went back", to: 1, outcome } };
  await run(github, { shop: { revision: 2 } }, { result: { succeeded: false }, more });
  expect(statusLines(github)).toEqual(
    states.map((ended, index) => `shop ${index + 1}: in_progress, ${ended}`),
  );
  expect(github.all[1]?.statuses[1]?.description).toBe(why);
  expect(github.all[2]?.payload).toMatchObject({ release: 3, rollbackOf: 1 });
});

test("a deleted deployment has no active GitHub deployment", async () => {
  const github = inMemory();
  await run(github, { shop: { revision: 1 }, pay: { revision: 7 } });
  const { recordRun: _, ...onGitHub } = createRecorder(github.github, {
    commit: "c0ffee",
    runUrl: undefined,
    environmentUrl: undefined,
  });
  onGitHub.deleted(deploymentCalled("shop"));
  await onGitHub.flush();
  expect(statusLines(github)).toEqual([
    "shop 1: in_progress, success, inactive",
    "pay 7: in_progress, success",
  ]);
  expect(github.all[0]?.statuses[2]?.description).toBe("Deleted");
});

test("a failed, superseded or interrupted run keeps the previous GitHub deployment active", async () => {
  const github = inMemory();
  await run(github, { shop: { revision: 1 } });
  await run(github, { shop: { revision: 2 } }, { result: { succeeded: false } });
  const superseded = { does: "deploy", commit: "d", by: "run 2" };
  const stopped = { succeeded: false, stopped: "superseded" } as const;
  await run(github, { shop: { revision: 3 } }, { result: stopped, more: { superseded } });
  await run(github, { shop: { revision: 4 } }, { throws: "a bug" });
  await run(github, { shop: { revision: 5 } }, { unchanged: true });
  expect(statusLines(github)).toEqual([
    "shop 1: in_progress, success",
    "shop 2: in_progress, failure",
    "shop 3: in_progress, inactive",
    "shop 4: in_progress, error",
  ]);
});

test("a missing permission is one warning, and everything is deployed", async () => {
  const error = Object.assign(new Error("Resource not accessible by integration"), {
    status: 403,
    response: { headers: {} },
  });
  let requests = 0;
  const github = inMemory(() => {
    requests += 1;
    return error;
  });
  const { log, exitCode } = await run(github, { shop: {}, pay: {}, mail: {} });
  expect(exitCode).toBeUndefined();
  expect(log.match(/::warning/g)).toHaveLength(1);
  expect(log).toContain("`permissions: deployments: write`");
  expect(requests).toBe(1);
});

test("a failure of GitHub doesn't change the deployment", async () => {
  const failures = [undefined, new Error("no")];
  const github = inMemory(() => failures.shift());
  const { log, exitCode } = await run(github, { shop: {} });
  expect(exitCode).toBeUndefined();
  expect(log).toContain("::warning title=QVS::qvs can't record the deployment shop on GitHub");
  expect(statusLines(github)).toEqual(["shop 1: success"]);
});
