import { availableParallelism } from "node:os";

const mebibyte = 1 << 20;

/** More threads would only need more memory: GitHub's runners have four cores. */
const mostWorkers = 4;
/**
 * Memory that must be available for one more worker: its engines and its heap, with a reserve for unusually large
 * evaluations.
 */
const memoryForOneMore = 768 * mebibyte;
/**
 * What the engines of all workers may keep between two evaluations. With the rest of the process that is less than 1.5
 * GB.
 */
const memoryForEngines = 1024 * mebibyte;

/** An ordinary engine starts with some 20 MiB, and its garbage is collected once that has grown by 64. */
const idleMemory = 128 * mebibyte;

/**
 * Whether another worker may start in addition to `workers` others: up to min(cores, 4), as long as 768 MiB are
 * available within the limit of the container or the machine at this moment.
 */
export function mayStartWorker(workers: number): boolean {
  const most = Math.min(availableParallelism(), mostWorkers);
  return workers < most && process.availableMemory() >= memoryForOneMore;
}

/** Bytes that the engines of one worker may keep. */
export function memoryPerWorker(workers: number): number {
  return Math.floor(memoryForEngines / Math.max(1, workers));
}

/**
 * Whether an idle worker is kept although its engine uses so many bytes. What runs after a large compilation needs
 * memory itself, and where an evaluation takes seconds, a new worker takes little more.
 */
export function mayIdle(held: number): boolean {
  return held <= idleMemory;
}
