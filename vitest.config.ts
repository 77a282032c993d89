import { defineConfig } from "vitest/config";

/** `unit` is the fast loop: no cluster, no network. `system` needs Go and starts the control plane. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          testTimeout: 30_000,
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.system.test.ts"],
          // Nothing here has state of its own, so files may share threads: half the time.
          pool: "threads",
          isolate: false,
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/**/*.system.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          fileParallelism: false,
          globalSetup: ["test/support/global-cluster.ts"],
        },
      },
    ],
  },
});
