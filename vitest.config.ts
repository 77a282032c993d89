import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes, and would be begun last in a fresh clone, where vitest knows only how large each file is. */
const longest = [
  "scenarios.system",
  "console.system",
  "oracle.system",
  "real-manifests.system",
  "stories.system",
  "environments.system",
  "grid.sweep",
  "faults.sweep",
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

/**
 * `unit` is the fast loop. `long` has the real engine, git servers and adapters in it, hundreds of times; `system` needs Go and starts
 * the control plane; `sweep` kills, cuts and races deployments there, at every request in turn.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          testTimeout: 30_000,
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.{system,long,sweep}.test.ts"],
          // Nothing here has state of its own, so files may share threads: half the time.
          pool: "threads",
          isolate: false,
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "long",
          sequence: { groupOrder: 1 },
          include: ["test/**/*.long.test.ts"],
          testTimeout: 120_000,
          // To start git copies the page tables of the process that starts it, so compilers must not pile up in one.
          pool: "forks",
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "system",
          sequence: { groupOrder: 2 },
          include: ["test/**/*.system.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          // Most of the time something is waited for. Tests keep apart by namespaces.
          maxWorkers: 3,
          globalSetup: ["test/support/global-cluster.ts"],
        },
      },
      {
        test: {
          name: "sweep",
          sequence: { groupOrder: 3 },
          include: ["test/**/*.sweep.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          // Half of the time is spent waiting; the grid has a control plane of its own.
          maxWorkers: 2,
          globalSetup: ["test/support/global-cluster.ts"],
        },
      },
    ],
  },
});
