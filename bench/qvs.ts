import { existsSync } from "node:fs";
import { join } from "node:path";
import { userError } from "../src/model/problems/errors.ts";
import type { Command } from "./timed.ts";

const dist = join(import.meta.dirname, "../dist");

/** The program as it is shipped, run by the same Node that runs the benchmark. */
export function qvs(directory: string, ...args: readonly string[]): Command {
  const cli = join(dist, "cli.js");
  if (!existsSync(cli))
    throw userError("invalid-input", "dist/cli.js is missing", "Run: npm run build");
  return { program: process.execPath, args: [cli, ...args], directory };
}
