import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeNewFiles } from "../../../../src/cli/files/write-new-files.ts";

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), "new-files-"));
}

test("created directories are removed again if a file can't be written", async () => {
  const directory = newDirectory();
  mkdirSync(join(directory, "kept"));
  const files = new Map([
    ["a/b/one.cue", "one"],
    ["kept/c/two.cue", "two"],
    ["a/b/one.cue/three.cue", "three"],
  ]);
  await expect(writeNewFiles(directory, files)).rejects.toThrow("can't be written");
  expect(readdirSync(directory)).toEqual(["kept"]);
  expect(readdirSync(join(directory, "kept"))).toEqual([]);
});

test("an existing file stays", async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, "one.cue"), "mine");
  const files = new Map([
    ["a/two.cue", "two"],
    ["one.cue", "one"],
  ]);
  await expect(writeNewFiles(directory, files)).rejects.toThrow("one.cue");
  expect(readdirSync(directory)).toEqual(["one.cue"]);
});

test("a partially written file is removed if the disk is full", () => {
  const directory = newDirectory();
  const source = join(import.meta.dirname, "../../../../src/cli/files/write-new-files.ts");
  const script = `import { writeNewFiles } from ${JSON.stringify(source)};
    const files = new Map([["a/small.cue", "x"], ["a/large.cue", "x".repeat(100_000)]]);
    await writeNewFiles(${JSON.stringify(directory)}, files).catch((error) => console.log(error.message));`;
  // The shell limits the size of a file, in KiB, and lets Node.js survive the signal.
  const limited = `ulimit -f 8; trap "" XFSZ; exec "$0" --no-warnings --input-type=module -e "$1"`;
  const { stdout } = spawnSync("bash", ["-c", limited, process.execPath, script]);
  expect(stdout.toString()).toContain("EFBIG");
  expect(existsSync(join(directory, "a"))).toBe(false);
});
