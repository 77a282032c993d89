import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Whether the last run found all that it asked a cache for. The next one probably will too, and then an engine that starts
 * with the program only takes its time away; whoever edits adapters misses each time, and needs it at once. A wrong guess
 * costs a tenth of a second, once.
 */
export function expectsCacheHits(folder: string): boolean {
  return existsSync(join(folder, marker));
}

export async function setExpectsCacheHits(folder: string, expected: boolean): Promise<void> {
  if (expected === expectsCacheHits(folder)) return;
  const file = join(folder, marker);
  await (expected ? writeFile(file, "") : rm(file, { force: true })).catch(() => {});
}

const marker = "answers-expected";
