import { join } from "node:path";

/** What is shipped. It may be older than the sources. */
export const builtProgram = join(import.meta.dirname, "../../dist/cli.js");

/**
 * What a test starts as `qvs`: the sources or, where QVS_TEST_DIST is set, what is shipped, which starts in a third of the time. CI sets
 * it, and checks in the same run that dist is fresh.
 */
export const qvsProgram =
  process.env.QVS_TEST_DIST === undefined
    ? join(import.meta.dirname, "../../src/cli.ts")
    : builtProgram;
