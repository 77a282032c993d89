import { existsSync } from "node:fs";
import { join } from "node:path";
import { startCompiler as startWith } from "../../../src/world/start-compiler.ts";

const path = join(
  import.meta.dirname,
  `../../../native/${process.platform}-${process.arch}/qvs-engine`,
);

/** The native engine; undefined if `npm run build -- --native` hasn't built it. CI builds it. */
export const builtNative = existsSync(path) ? path : undefined;

/** The engine that tests use: the native one if QVS_TEST_ENGINE is `native`. */
export const testedNative = process.env.QVS_TEST_ENGINE === "native" ? path : undefined;

/** Starts a compiler with the tested engine. It uses no cached compilation. */
export const startCompiler = () => startWith(testedNative);
