import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { type ProcessRecord, stopProcesses } from "./processes.ts";

/**
 * A program of its own that outlives whoever started a control plane: it learns of each process as a line of JSON
 * on standard input, and when that ends, because the parent asked for it or was killed, it stops them all.
 */
const [directory = "", remove] = process.argv.slice(2);
const processes: ProcessRecord[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  processes.push(JSON.parse(line));
}
await stopProcesses(processes, directory);
if (remove === "--remove") await rm(directory, { recursive: true, force: true });
