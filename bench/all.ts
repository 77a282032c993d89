import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { removeSections } from "./results.ts";

/**
 * The benchmarks of RESULTS.md, with their rounds: few where a round takes minutes. They take about
 * 50 minutes.
 */
const benchmarks: readonly (readonly string[])[] = [
  ["compile", "--rounds", "7"],
  ["many", "--rounds", "2"],
  ["render", "--rounds", "3"],
  ["deploy", "--rounds", "5"],
  ["scale", "1000", "--rounds", "2"],
  ["scale", "5000"],
  ["scale", "rollouts"],
  ["diff", "300", "--rounds", "5"],
  ["diff", "5000"],
  ["drift", "5000"],
  ["slow", "300"],
  ["maps", "10000"],
  ["fleet", "1000"],
  ["push", "1000"],
  ["get", "300", "--rounds", "3"],
  ["undo", "--rounds", "3"],
  ["storm", "500", "--minutes", "3"],
  ["downtime", "--rounds", "2"],
];

/**
 * Writes RESULTS.md: runs each benchmark in a process of its own, one after the other, and replaces
 * all sections. Returns the benchmarks that failed; their sections are missing then.
 */
export function measureAll(): readonly string[] {
  removeSections();
  return benchmarks.flatMap((args) => {
    const began = Date.now();
    const main = join(import.meta.dirname, "main.ts");
    const { status } = spawnSync(process.execPath, [main, ...args, "--write"], {
      stdio: "inherit",
    });
    const seconds = Math.round((Date.now() - began) / 1000);
    process.stderr.write(`--- ${args.join(" ")}: exit code ${status} after ${seconds} s\n`);
    return status === 0 ? [] : [args.join(" ")];
  });
}
