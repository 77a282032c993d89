import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { buildTools, isBuilt } from "../cluster/build.ts";
import { createCgroups, removeCgroups, removeOldCgroups } from "./cgroups.ts";
import { nodeModules, workVariable } from "./place.ts";
import { missingForNode } from "./requirements.ts";

/**
 * `enter.ts COMMAND…` runs a command in new namespaces that a real node can use: mounts, network,
 * processes, cgroups. When the command ends, all processes in the namespaces end, and the machine
 * is as before. `QVS_KEEP=1` keeps the logs.
 */
process.exitCode = await main(process.argv.slice(2));

async function main(command: readonly string[]): Promise<number> {
  const missing = missingForNode((await Promise.all(nodeModules.map(isBuilt))).every(Boolean));
  if (missing.length > 0) {
    process.stderr.write(`${missing.join("\n")}\n`);
    return 1;
  }
  // Modules can be fetched only here: the namespaces have no way to other machines.
  for (const module of nodeModules) await buildTools(module);
  removeOldCgroups();
  const work = await mkdtemp(join(tmpdir(), "qvs-node-"));
  await mkdir(join(work, "tmp"));
  const cgroups = createCgroups();
  try {
    return await runInside(command, work, cgroups);
  } finally {
    await removeCgroups(cgroups);
    if (process.env["QVS_KEEP"]) process.stderr.write(`The logs are in ${work}\n`);
    else await rm(work, { recursive: true, force: true });
  }
}

/**
 * Enters the cgroups before the namespaces, because they become the roots of the cgroup namespace.
 * `bash` is process 1 there, because process 1 must collect the exit codes of orphans.
 */
async function runInside(
  command: readonly string[],
  work: string,
  cgroups: readonly string[],
): Promise<number> {
  const enter = 'for d in $CGROUPS; do echo $$ >"$d/cgroup.procs"; done; exec "$@"';
  const unshare = ["unshare", "--mount", "--net", "--pid", "--ipc", "--uts", "--cgroup"];
  const inside = [process.execPath, join(import.meta.dirname, "inside.ts"), ...command];
  const args = [
    ...["-c", enter, "bash", "setpriv", "--pdeathsig", "KILL"],
    ...[...unshare, "--fork", "--kill-child", "--mount-proc"],
    ...["bash", "-c", '"$@"; exit $?', "bash", ...inside],
  ];
  const env = {
    ...process.env,
    PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`,
    CGROUPS: cgroups.join(" "),
    TMPDIR: join(work, "tmp"),
    [workVariable]: work,
  };
  const child = spawn("bash", args, { env, stdio: "inherit" });
  killOnSignal(child);
  const [code, signal] = await once(child, "exit");
  return code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

/**
 * Ends the namespaces on a signal. The terminal also sends Ctrl-C to the command, which then ends
 * normally, so only the second Ctrl-C ends the namespaces.
 */
function killOnSignal(child: ChildProcess): void {
  let interrupts = 0;
  process.on("SIGINT", () => {
    interrupts += 1;
    if (interrupts > 1) child.kill("SIGKILL");
  });
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => child.kill("SIGKILL"));
}
