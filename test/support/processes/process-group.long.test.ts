import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { processGroup } from "./process-group.ts";
import { ours, stopProcesses } from "./processes.ts";

/** A program that ends only when it is killed. Its command line contains the directory. */
const stubborn = ["-c", "trap '' TERM; while true; do sleep 0.1; done"];

test("a stopped group leaves no process, even of a program that ignores the request", async () => {
  const directory = await mkdtemp(join(tmpdir(), "group-"));
  const group = processGroup({ directory, temporary: true });
  await group.start("stubborn", "/bin/sh", [...stubborn, directory]);
  await group.start("gentle", "/bin/sh", ["-c", "sleep 60", directory]);
  await group.requireAlive();
  await group.stop();
  expect(await ours(group.processes, directory)).toEqual([]);
  expect(existsSync(directory)).toBe(false);
});

test("the group ends with a parent that is killed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "group-"));
  const program = `
    import { processGroup } from ${JSON.stringify(join(import.meta.dirname, "process-group.ts"))};
    const group = processGroup({ directory: ${JSON.stringify(directory)}, temporary: true });
    await group.start("program", "/bin/sh", ["-c", "sleep 60", ${JSON.stringify(directory)}]);
    console.log(group.processes[0].pid);
    setInterval(() => undefined, 1000);
  `;
  const args = ["--input-type=module-typescript", "-e", program];
  const parent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: parent.stdout }), "line");
  const started = [{ name: "program", pid: Number(line) }];
  expect(await ours(started, directory)).toEqual(started);
  parent.kill("SIGKILL");
  await expect.poll(() => ours(started, directory)).toEqual([]);
  await expect.poll(() => existsSync(directory)).toBe(false);
});

test("a detached group keeps running without its parent", async () => {
  const directory = await mkdtemp(join(tmpdir(), "group-"));
  const group = processGroup({ directory });
  await group.start("program", "/bin/sh", ["-c", "sleep 60", directory]);
  await group.detach();
  expect(await ours(group.processes, directory)).toEqual(group.processes);
  await stopProcesses(group.processes, directory);
  expect(await ours(group.processes, directory)).toEqual([]);
  await rm(directory, { recursive: true });
});

test("a program that has ended is reported with the end of its log", async () => {
  const directory = await mkdtemp(join(tmpdir(), "group-"));
  const group = processGroup({ directory, temporary: true });
  await group.start("broken", "/bin/sh", ["-c", "echo no such flag; exit 2", directory]);
  await expect
    .poll(() => group.requireAlive().catch((error: Error) => error.message))
    .toBe(`broken has ended. The end of ${directory}/broken.log:\nno such flag`);
  await group.stop();
});

test("a process id that belongs to another process now isn't stopped", async () => {
  const other = spawn("/bin/sh", ["-c", "sleep 60"]);
  await once(other, "spawn");
  await stopProcesses([{ name: "reused", pid: other.pid ?? 0 }], "/tmp/of-our-cluster");
  expect(
    execFileSync("/bin/sh", ["-c", `kill -0 ${other.pid} && echo runs`], { encoding: "utf8" }),
  ).toBe("runs\n");
  other.kill();
});
