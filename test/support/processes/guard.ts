import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { type ProcessRecord, stopProcesses } from "./processes.ts";

/**
 * A program of its own that outlives whoever started a control plane. It learns of each process as a line of JSON on
 * standard input. When that ends, because the parent asked for it or was killed, it stops them all, unless the line
 * `detach` came before.
 */
const [directory = "", remove] = process.argv.slice(2);
const processes: ProcessRecord[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "detach") process.exit(0);
  processes.push(JSON.parse(line));
}
await stopProcesses(processes, directory);
if (remove === "--remove") await rm(directory, { recursive: true, force: true });
