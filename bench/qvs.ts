import { existsSync } from "node:fs";
import { join } from "node:path";
import { userError } from "../src/model/problems/errors.ts";
import type { Command } from "./timed.ts";

/** The built program of this tree. */
export const shippedProgram = join(import.meta.dirname, "../dist/cli.js");

/** Returns a command of the built program. The Node.js of the benchmark runs it. */
export function qvs(directory: string, ...args: readonly string[]): Command {
  if (!existsSync(shippedProgram))
    throw userError("invalid-input", "dist/cli.js is missing", "Run: npm run build");
  return qvsOf(shippedProgram, directory, ...args);
}

/** Returns a command of the program at a path. */
export function qvsOf(program: string, directory: string, ...args: readonly string[]): Command {
  return { program: process.execPath, args: [program, ...args], directory };
}
