import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "../processes/processes.ts";

const root = "/sys/fs/cgroup";
const prefix = "qvs-node-";

/** The controllers that the kubelet and runc use. Only v1 has some for devices and freezing. */
const controllers = {
  v1: ["cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids"],
  v2: ["cpu", "cpuset", "memory", "pids"],
} as const;

/**
 * Returns the hierarchies of cgroup v1 by their names, such as `memory` or `cpu,cpuacct`. A name is
 * also the mount option and the directory.
 */
export function v1Hierarchies(): readonly string[] {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const names = lines.map((line) => line.split(":")[1] ?? "");
  return names.filter((name) => controllers.v1.some((one) => name.split(",").includes(one)));
}

/**
 * The CPU time of the node in relation to other processes. Without it, all programs of the node
 * together get as much as one process outside of it.
 */
const processes = 8;

/** Returns true if the machine has only cgroup v2. */
export function hasOnlyV2(): boolean {
  return existsSync(join(root, "cgroup.controllers"));
}

/**
 * Creates the cgroups of one node, named after this process. They are the roots of the node's
 * cgroup namespace. Returns their directories.
 */
export function createCgroups(): readonly string[] {
  const name = `${prefix}${process.pid}`;
  if (hasOnlyV2()) return [createV2(join(root, name))];
  return v1Hierarchies().map((hierarchy) => createV1(join(root, hierarchy), name));
}

function createV2(directory: string): string {
  mkdirSync(directory);
  const missing = controllers.v2.filter(
    (one) => !wordsIn(join(directory, "cgroup.controllers")).includes(one),
  );
  for (const one of missing) writeFileSync(join(root, "cgroup.subtree_control"), `+${one}`);
  writeFileSync(join(directory, "cpu.weight"), String(processes * 100));
  return directory;
}

function createV1(hierarchy: string, name: string): string {
  const directory = join(hierarchy, name);
  mkdirSync(directory);
  // No process can enter a cpuset without CPUs.
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    if (existsSync(join(directory, file)))
      writeFileSync(join(directory, file), readFileSync(join(hierarchy, file)));
  }
  const shares = join(directory, "cpu.shares");
  if (existsSync(shares)) writeFileSync(shares, String(processes * 1024));
  return directory;
}

/**
 * Lets the containers have their own cgroups with all controllers. In v2, a cgroup with children
 * can't contain processes, so all processes move to a child.
 */
export function delegateV2(): void {
  const init = join(root, "init");
  mkdirSync(init);
  for (const pid of wordsIn(join(root, "cgroup.procs"))) {
    try {
      writeFileSync(join(init, "cgroup.procs"), pid);
    } catch {
      // The process has ended in the meantime.
    }
  }
  for (const one of wordsIn(join(root, "cgroup.controllers")))
    writeFileSync(join(root, "cgroup.subtree_control"), `+${one}`);
}

/** Removes the cgroups of a node whose processes are ending. */
export async function removeCgroups(directories: readonly string[]): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!directories.every(removed) && Date.now() < deadline) await sleep(50);
}

/** Removes the cgroups of nodes whose process was killed. */
export function removeOldCgroups(): void {
  const hierarchies = hasOnlyV2() ? [root] : v1Hierarchies().map((one) => join(root, one));
  for (const hierarchy of hierarchies.filter((one) => existsSync(one))) {
    const old = readdirSync(hierarchy).filter(
      (name) => name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length))),
    );
    for (const name of old) removed(join(hierarchy, name));
  }
}

/** Removes a cgroup and those below it. Returns false while one of them still has processes. */
function removed(directory: string): boolean {
  if (!existsSync(directory)) return true;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) removed(join(directory, entry.name));
  }
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

function wordsIn(file: string): readonly string[] {
  return readFileSync(file, "utf8").split(/\s+/).filter(Boolean);
}
