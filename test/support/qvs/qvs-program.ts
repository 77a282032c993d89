import { join } from "node:path";

/** The released program. It can be older than the sources. */
export const builtProgram = join(import.meta.dirname, "../../../dist/cli.js");

/**
 * The program that tests run as `qvs`: the sources or, if QVS_TEST_DIST is set, the released
 * program.
 * The latter starts in a third of the time. CI sets QVS_TEST_DIST and checks in the same run that
 * dist is up to date.
 */
export const qvsProgram =
  process.env.QVS_TEST_DIST === undefined
    ? join(import.meta.dirname, "../../../src/cli.ts")
    : builtProgram;
