import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { type ProcessRecord, stopProcesses } from "./processes.ts";

/**
 * A separate program that runs longer than the process that started a control plane. It receives
 * each process as a line of JSON on its standard input. When the input ends, because the parent
 * closed it or was killed, it stops all these processes, unless the line `detach` was sent before.
 */
const [directory = "", remove] = process.argv.slice(2);
const processes: ProcessRecord[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "detach") process.exit(0);
  processes.push(JSON.parse(line));
}
await stopProcesses(processes, directory);
if (remove === "--remove") await rm(directory, { recursive: true, force: true });
