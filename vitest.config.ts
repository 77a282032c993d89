import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take a minute or more. They start first, because one that starts last uses one core
 * alone. In a fresh clone, vitest knows only the sizes of the files.
 */
const longest = [
  "console.system",
  "stories/stories.system",
  "attacks/stories.system",
  "oracle.system",
  "environments.system",
  "real-manifests.system",
  "real-rollbacks.system",
  "operators.system",
  "page.long",
  "removed.system",
  "approved-plan.system",
  "chaos.system",
  "deploy.system",
  "examples.system",
  "grid.sweep",
  "faults.sweep",
  "crash.sweep",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.includes(name));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Ends a test that hangs. The limits are so long that a busy machine makes no test fail. */
const patience = {
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  expect: { poll: { timeout: 600_000 } },
  // The released program is run as it is, and with it the parts that it imports.
  server: { deps: { external: [/\/dist\/qvs\.js$/] } },
};

/**
 * `long` computes, and `system` often waits, so they can run at the same time. Each file has its own
 * process: a process with many compilers starts git slowly, because the start copies its page
 * tables. Tests on the cluster use their own namespaces.
 */
const sideBySide = {
  sequence: { groupOrder: 1 },
  pool: "forks",
  maxWorkers: Math.max(4, availableParallelism()),
} as const;

/**
 * `unit` is the fast loop. `long` uses the real engine, Git servers and adapters. `system` needs Go
 * and starts the control plane. `sweep` interrupts and races deployments there, at each request in
 * turn. `chance` draws rollouts and changes of manifests with a new seed in each run, so CI leaves
 * it out. `node` starts a real kubelet with containers, and runs only in the namespaces that
 * `npm run test:node` creates.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Keeps transformed modules between runs, which saves a third of the time of the fast loop.
    fsModuleCache: true,
    globalSetup: ["test/support/temporary-folder.ts"],
    tags: [{ name: "slow", description: "Takes more than 0.1 s. The fast loop leaves it out." }],
    projects: [
      {
        test: {
          ...patience,
          name: "unit",
          sequence: { groupOrder: 0 },
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.{system,long,sweep,chance,node}.test.ts"],
          // The files have no state, so they can share threads. That halves the time.
          pool: "threads",
          isolate: false,
          maxWorkers: 3,
        },
      },
      {
        test: {
          ...patience,
          ...sideBySide,
          name: "long",
          include: ["test/**/*.long.test.ts"],
        },
      },
      {
        test: {
          ...patience,
          ...sideBySide,
          name: "system",
          include: ["test/**/*.system.test.ts"],
          maxConcurrency: 8,
          globalSetup: ["test/support/global-cluster.ts"],
        },
      },
      {
        test: {
          ...patience,
          name: "sweep",
          sequence: { groupOrder: 2 },
          include: ["test/**/*.sweep.test.ts"],
          // Sweeps wait more than half of the time. The grid has its own control plane.
          maxWorkers: 3,
          maxConcurrency: 3,
          globalSetup: ["test/support/global-cluster.ts"],
        },
      },
      {
        test: {
          ...patience,
          name: "chance",
          sequence: { groupOrder: 3 },
          include: ["test/**/*.chance.test.ts"],
          maxWorkers: 3,
          globalSetup: ["test/support/global-cluster.ts"],
        },
      },
      {
        test: {
          ...patience,
          name: "node",
          sequence: { groupOrder: 4 },
          include: ["test/**/*.node.test.ts"],
          pool: "forks",
          // Rollouts of other tests would delay the answers that a test counts.
          maxWorkers: 1,
          maxConcurrency: 1,
          globalSetup: ["test/support/global-node.ts"],
        },
      },
    ],
  },
});
