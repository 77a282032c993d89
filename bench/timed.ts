import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
}

/** The cost of one run of a program, including its child processes. */
export interface Cost {
  readonly wallMs: number;
  /** The user and system time of all threads, which other programs on the machine affect least. */
  readonly cpuMs: number;
  /**
   * The peak memory of the largest process. It is unknown for work that is measured inside a
   * process, and where GNU time isn't installed.
   */
  readonly peakMb?: number;
  /** The counted requests to a server, for example `8 list, 2 watch, 1002 write`. */
  readonly requests?: string;
}

/** Debian's package `time`. */
const gnuTime = "/usr/bin/time";

export interface Timed {
  readonly cost: Cost;
  readonly stdout: string;
}

/**
 * Runs a program to its end. Node.js can't measure the cost of a child process, so a shell measures
 * the time (in milliseconds) and GNU time the memory. Rejects with the program's stderr if it
 * fails.
 */
export async function timed({ program, args, directory }: Command): Promise<Timed> {
  const folder = await mkdtemp(join(tmpdir(), "qvs-bench-"));
  const messages = join(folder, "stderr");
  const memory = join(folder, "memory");
  const measured = existsSync(gnuTime) ? `${gnuTime} -f %M -o ${memory} "$@"` : `"$@"`;
  const script = `TIMEFORMAT='%3R %3U %3S'; time ${measured} 2>${messages}`;
  const child = spawn("bash", ["-c", script, "bash", program, ...args], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  const [stdout, times, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const stderr = await readFile(messages, "utf8").catch(() => times);
  if (code !== 0)
    throw new Error(
      `${[program, ...args].join(" ")} exited with ${code}:\n${stdout.slice(-5000)}${stderr}`,
    );
  const [wall = 0, user = 0, system = 0] = times.trim().split(" ").map(Number);
  const peak = existsSync(memory) ? { peakMb: Number(await readFile(memory, "utf8")) / 1024 } : {};
  await rm(folder, { recursive: true });
  return { cost: { wallMs: wall * 1000, cpuMs: (user + system) * 1000, ...peak }, stdout };
}
