import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { Output, Shell } from "../../../../src/cli/program/shell.ts";
import { createSections } from "../../../../src/cli/several/section.ts";
import { terminal } from "../../../../src/redaction/terminal.ts";
import { temporaryDirectory } from "../../../support/git/git-fixture.ts";

function createStream(write: (text: string) => unknown, properties: object): Output {
  const stream = new Writable();
  return Object.assign(stream, properties, { write }) as unknown as Output;
}

/** Returns a stream like `process.stdout`, which appends to a file. */
function fileStream(path: string): Output {
  const fd = openSync(path, "a");
  onTestFinished(() => closeSync(fd));
  return createStream((text) => writeSync(fd, text), { fd });
}

/** Prints a section with text on both streams, and one with text on stdout only. */
function printSections(stdout: Output, stderr: Output): void {
  const open = createSections({ stdout, stderr } as Shell);
  const shop = open("shop");
  shop.shell.stderr.write(terminal`warning: old\n`);
  shop.shell.stdout.write(terminal`create A\ncreate B\n`);
  shop.print();
  const docs = open("docs");
  docs.shell.stdout.write(terminal`create C\ncreate D\n`);
  docs.print();
}

const whole = `==> shop
warning: old
create A
create B

==> docs
create C
create D
`;

test("streams to the same file have one title per deployment", () => {
  const log = join(temporaryDirectory(), "log");
  printSections(fileStream(log), fileStream(log));
  expect(readFileSync(log, "utf8")).toBe(whole);
});

test("streams to different files have their own titles", () => {
  const folder = temporaryDirectory();
  const [out, err] = [join(folder, "out"), join(folder, "err")];
  printSections(fileStream(out), fileStream(err));
  expect(readFileSync(out, "utf8")).toBe(whole.replace("warning: old\n", ""));
  expect(readFileSync(err, "utf8")).toBe("==> shop\nwarning: old\n");
});

test("a terminal without a file has one title, and a terminal next to a pipe has its own", () => {
  const chunks: string[] = [];
  const stream = (isTTY: boolean) => createStream((text) => chunks.push(text), { isTTY });
  const titles = () => chunks.splice(0).filter((text) => text.includes("==> shop")).length;
  printSections(stream(true), stream(true));
  expect(titles()).toBe(1);
  printSections(stream(false), stream(true));
  expect(titles()).toBe(2);
});
