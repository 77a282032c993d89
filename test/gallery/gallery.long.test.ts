import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startCompiler } from "../support/cue/native.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { runHere } from "../support/qvs/run-here.ts";
import { startQvs } from "../support/qvs/run-qvs.ts";
import { compile, shopFiles } from "../support/shop/shop-files.ts";
import { breakShop, type Case, readCases } from "./read-case.ts";

/**
 * Shows mistakes of users with the complete messages: the place, the fault and the fix. qvs prints
 * nothing on stdout and changes nothing, and no message contains jargon of CUE.
 * The Markdown files are the test; `vitest run --project long test/gallery -u` writes the current
 * messages, for a reviewer to read.
 */
const compiler = startCompiler();
afterAll(() => compiler.close());

const files = readdirSync(import.meta.dirname).filter((name) => /^\d.*\.md$/.test(name));

describe.each(files)("%s", (name) => {
  const path = join(import.meta.dirname, name);
  const text = readFileSync(path, "utf8");
  const cases = readCases(text);
  const shown = new Map<Case, string>();

  test.each(cases)("$name", async (each) => {
    const { code, stdout, stderr } = await run(each);
    shown.set(each, stderr);
    expect({ code, stdout }).toEqual({ code: each.code, stdout: each.code === 1 ? "" : stdout });
    expect(stderr).not.toMatch(/^ {4}at |\bundefined (?!field)|\[object/m);
  });

  test("the output matches the text that a reviewer has read", async () => {
    await expect(withShown(text, shown)).toMatchFileSnapshot(path);
  });
});

test("the shop without changes has no error", async () => {
  const { directory } = temporaryRepository(shopFiles);
  const { code, stdout, stderr } = await runHere(directory, compile, compiler);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("\n  replicas: 2\n");
});

test.each(files)("the real process prints the same as the first case of %s", async (name) => {
  const [first] = readCases(readFileSync(join(import.meta.dirname, name), "utf8")) as [Case];
  const repository = temporaryRepository(shopFiles);
  breakShop(repository, first);
  const { code, stdout, stderr } = await startQvs(repository.directory, first.args).result;
  const expected = first.shown.text.replace(/^\$.*\n/, "");
  expect({ code, stdout, stderr }).toEqual({ code: first.code, stdout: "", stderr: expected });
});

async function run(each: Case) {
  const repository = temporaryRepository(shopFiles);
  breakShop(repository, each);
  const result = await runHere(repository.directory, each.args, compiler);
  return { ...result, stderr: result.stderr.replaceAll(repository.directory, "DIR") };
}

/** Returns the document with the current messages. Cases that didn't run stay unchanged. */
function withShown(markdown: string, shown: ReadonlyMap<Case, string>): string {
  let text = markdown;
  for (const [{ shown: block }, stderr] of [...shown].reverse()) {
    const command = /^\$.*\n/.exec(block.text)?.[0] ?? "";
    text = text.slice(0, block.start) + command + stderr + text.slice(block.end);
  }
  return text;
}
