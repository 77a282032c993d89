import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Reports whether the last run found every compilation in the cache. The next run probably does
 * too.
 * Then an engine that starts with the program only costs time. A user who edits adapters misses
 * each time and needs the engine at once. A wrong guess costs a tenth of a second, once.
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
