import { availableParallelism } from "node:os";

const mebibyte = 1 << 20;

/**
 * The maximum number of workers. GitHub's runners have four cores, so more threads would only need
 * more memory.
 */
const mostWorkers = 4;
/**
 * The memory that must be available for another worker: its engines, its heap, and a reserve for
 * unusually large evaluations.
 */
const memoryPerNewWorker = 768 * mebibyte;
/**
 * The memory that the engines of all workers can keep between two evaluations. The whole process
 * then uses less than 1.5 GB.
 */
const memoryForEngines = 1024 * mebibyte;

/**
 * The maximum memory of the engines of an idle worker. An ordinary engine starts with about 20 MiB.
 * Its garbage collector runs when the garbage has grown by 64 MiB.
 */
const idleMemory = 128 * mebibyte;

/**
 * Reports whether another worker can start in addition to `workers` others.
 * The maximum is min(cores, 4). 768 MiB must be available now, within the limit of the container or
 * the machine.
 */
export function canStartWorker(workers: number): boolean {
  const most = Math.min(availableParallelism(), mostWorkers);
  return workers < most && process.availableMemory() >= memoryPerNewWorker;
}

/** Returns the number of bytes that the engines of one worker can keep. */
export function memoryPerWorker(workers: number): number {
  return Math.floor(memoryForEngines / Math.max(1, workers));
}

/**
 * Reports whether the pool keeps an idle worker whose engine uses this many bytes.
 * The steps after a large compilation need memory too. If an evaluation takes seconds, the start of
 * a new worker adds little.
 */
export function canStayIdle(usedMemory: number): boolean {
  return usedMemory <= idleMemory;
}
