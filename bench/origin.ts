import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { machine } from "./machine.ts";

/** The program, the day and the machine of a measurement. */
export interface Origin {
  /** A commit, or a commit "with uncommitted changes". */
  readonly commit: string;
  /** Such as `2026-12-01`. */
  readonly date: string;
  readonly machine: string;
}

/** Changes of these can change a measurement. RESULTS.md is written by the measurement itself. */
const measured = ["src", "engine", "dist", "bench", "test/support", ":!bench/RESULTS.md"];

/** Returns the origin of a measurement that this process makes. */
export function currentOrigin(date = new Date().toISOString().slice(0, 10)): Origin {
  const hash = git("rev-parse", "--short=8", "HEAD");
  const isChanged = git("status", "--porcelain", "--", ...measured) !== "";
  const commit = isChanged ? `${hash} with uncommitted changes` : hash;
  return { commit, date, machine: machine().description };
}

function git(...args: readonly string[]): string {
  const cwd = join(import.meta.dirname, "..");
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}
