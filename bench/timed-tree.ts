import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Command, Timed } from "./timed.ts";

/**
 * Becomes the parent of processes that lose theirs, which Linux counts for no other parent, and
 * waits for all of them. A program that ends doesn't wait for its native engine. The import of
 * ctypes starts processes too, which don't count.
 */
const script = `
import ctypes, json, os, resource, sys, time
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
report, command = sys.argv[1], sys.argv[2:]
def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
before, start = cpu(), time.monotonic()
child = os.fork()
if child == 0:
    os.execvp(command[0], command)
status = wall = 0
while True:
    try:
        ended, result = os.wait()
    except ChildProcessError:
        break
    if ended == child:
        status, wall = result, time.monotonic() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
with open(report, "w") as file:
    json.dump({"wallMs": wall * 1000, "cpuMs": (cpu() - before) * 1000, "peakMb": peak / 1024}, file)
sys.exit(os.waitstatus_to_exitcode(status))
`;

/**
 * Runs a command like `timed`, and also counts the processes that it leaves behind. It needs Linux
 * and Python. The memory is that of the largest process.
 */
export async function timedTree({ program, args, directory }: Command): Promise<Timed> {
  const folder = await mkdtemp(join(tmpdir(), "qvs-bench-"));
  const report = join(folder, "costs");
  const child = spawn("python3", ["-c", script, report, program, ...args], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0)
    throw new Error(
      `${[program, ...args].join(" ")} exited with ${code}:\n${stdout.slice(-5000)}${stderr}`,
    );
  const cost = JSON.parse(await readFile(report, "utf8"));
  await rm(folder, { recursive: true });
  return { cost, stdout };
}
