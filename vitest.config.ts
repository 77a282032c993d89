import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes, and would be begun last in a fresh clone, where vitest knows only how large each file is. */
const longest = [
  "console.system",
  "stories/stories.system",
  "attacks/stories.system",
  "oracle.system",
  "environments.system",
  "real-manifests.system",
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

/** Not what is expected, but what ends a test that hangs: how busy a machine is makes no test fail. */
const patience = {
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  expect: { poll: { timeout: 600_000 } },
  // The released program is run as it is, and with it the parts that it imports.
  server: { deps: { external: [/\/dist\/qvs\.js$/] } },
};

/**
 * `long` computes, and `system` waits most of the time: side by side they keep the machine busy. Compilers must not pile up in one process,
 * since to start git copies the page tables of the process that starts it. Tests on the cluster keep apart by namespaces.
 */
const sideBySide = {
  sequence: { groupOrder: 1 },
  pool: "forks",
  maxWorkers: Math.max(3, availableParallelism()),
} as const;

/**
 * `unit` is the fast loop. `long` has the real engine, git servers and adapters in it, hundreds of times; `system` needs Go and starts
 * the control plane; `sweep` kills, cuts and races deployments there, at every request in turn. `chance` draws rollouts and changes
 * of manifests with a new seed in each run, so it is no part of what a change must pass.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Transformed modules survive between runs: a third of the time of the fast loop.
    fsModuleCache: true,
    globalSetup: ["test/support/temporary-folder.ts"],
    tags: [{ name: "slow", description: "Takes more than 0.2 s. The fast loop leaves it out." }],
    projects: [
      {
        test: {
          ...patience,
          name: "unit",
          sequence: { groupOrder: 0 },
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.{system,long,sweep,chance}.test.ts"],
          // Nothing here has state of its own, so files may share threads: half the time.
          pool: "threads",
          isolate: false,
          maxWorkers: 4,
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
    ],
  },
});
