import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { showBuildProgress } from "./build-progress.ts";

function shown(isTTY: boolean, lines: readonly string[]): string {
  const stream = Object.assign(new PassThrough(), { isTTY });
  let seconds = 0;
  const progress = showBuildProgress("etcd", 300, stream as never, () => seconds * 1000);
  for (const line of lines) {
    seconds += 10;
    expect(progress.hear(line)).toBe(true);
  }
  progress.end();
  return String(stream.read() ?? "");
}

const lines = ["go: downloading go.etcd.io/etcd v3", "internal/abi", "golang.org/x/net/http2"];

test("a terminal shows one line that changes", () => {
  expect(shown(true, lines).split("\r\u001b[K")).toEqual([
    "",
    "Building etcd: 1 module fetched, 10 s",
    "Building etcd: 1 of at most 300 packages, 20 s",
    "Building etcd: 2 of at most 300 packages, 30 s",
    "",
  ]);
});

test("other output gets a line from time to time", () => {
  expect(shown(false, lines)).toBe("Building etcd: 1 of at most 300 packages, 20 s\n");
});

test.each(["# example.com/broken", "main.go:3:1: undefined: x", "go: go.mod requires go >= 1.30"])(
  "%s is readable",
  (line) => {
    const stream = Object.assign(new PassThrough(), { isTTY: false });
    expect(showBuildProgress("etcd", 3, stream as never).hear(line)).toBe(false);
  },
);
