import { join } from "node:path";
import { afterAll } from "vitest";
import type { runProgram } from "../../../src/cli/program/program.ts";
import { type Pool, startPool } from "../../../src/io/cue/pool.ts";
import { testedNative } from "../cue/native.ts";

const root = new URL("../../../", import.meta.url);
const isBuilt = process.env.QVS_TEST_DIST !== undefined;

/** The released program. It can be older than the sources. */
export const builtProgram = join(import.meta.dirname, "../../../dist/cli.js");

/**
 * The program that tests run as `qvs`: the sources or, if QVS_TEST_DIST is set, the released
 * program.
 * The latter starts in a third of the time. CI sets QVS_TEST_DIST and checks in the same run that
 * dist is up to date.
 */
export const qvsProgram = isBuilt ? builtProgram : join(import.meta.dirname, "../../../src/cli.ts");

/** The program that tests run as the Action. Like `qvsProgram`, it can be the released one. */
export const actionProgram = join(
  import.meta.dirname,
  isBuilt ? "../../../dist/index.js" : "../../../src/main.ts",
);

/** Loads the same program into this process. A broken bundle therefore also fails here. */
export function loadProgram(): Promise<{ readonly runProgram: typeof runProgram }> {
  return import(new URL(isBuilt ? "dist/qvs.js" : "src/cli/program/program.ts", root).href);
}

let engines: Pool | undefined;

/** Returns the engines for all commands within this process. No command closes them. */
export function sharedEngines(): Pool {
  engines ??= startPool({
    script: new URL(isBuilt ? "dist/compile.js" : "src/compile-worker.ts", root),
    wasm: new URL("dist/cue.wasm.zst", root),
    native: testedNative,
  });
  const { options, ask } = engines;
  return { options, ask: ask.bind(engines), close: async () => {} };
}

afterAll(() => engines?.close());
