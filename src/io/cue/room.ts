import { availableParallelism } from "node:os";

const mebibyte = 1 << 20;

/** More threads than this would only add their memory: the runners of GitHub have four cores. */
const mostWorkers = 4;
/** What one more worker must find available: its engines and its heap, with some left for evaluations that are larger than usual. */
const roomForOneMore = 768 * mebibyte;
/** What the engines of all workers may keep between two evaluations: with the rest of the process less than 1.5 GB. */
const roomForEngines = 1024 * mebibyte;

/** An ordinary engine starts with some 20 MiB and grows by a few with each evaluation. */
const idleRoom = 192 * mebibyte;

/**
 * Whether another worker may start beside `workers` others: min(cores, 4), as long as 768 MiB are available, which is what
 * the container's limit or the machine leaves at this moment.
 */
export function hasRoomFor(workers: number): boolean {
  const most = Math.min(availableParallelism(), mostWorkers);
  return workers < most && process.availableMemory() >= roomForOneMore;
}

/** Bytes that the engines of one worker may keep. */
export function roomOfEach(workers: number): number {
  return Math.floor(roomForEngines / Math.max(1, workers));
}

/**
 * Whether a worker whose engine has come to hold so many bytes is worth its memory while nobody asks it: what comes after one
 * large compilation needs room itself, and where evaluating takes seconds, starting anew takes little more.
 */
export function mayIdle(held: number): boolean {
  return held <= idleRoom;
}
