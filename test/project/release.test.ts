import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pinned } from "../../scripts/callers.ts";
import { notesOf } from "../../scripts/changelog.ts";

const root = join(import.meta.dirname, "../..");
const changelog = `# Changelog

## Unreleased

- not yet

## 1.2.3 (2026-11-22)

- one
- two

## 1.2.0

`;

test("a release has the notes of its version", () => {
  expect(notesOf(changelog, "1.2.3")).toBe("- one\n- two\n");
});

test.each(["1.2.0", "1.2", "1.3.0"])("release %s doesn't exist without notes", (version) => {
  expect(() => notesOf(changelog, version)).toThrow(`CHANGELOG.md has no notes for ${version}`);
});

const commit = "0123456789abcdef0123456789abcdef01234567";
const callers = readdirSync(join(root, "workflows"));

test.each(callers)(
  "%s can reference a release by its commit, and the next release after it",
  (name) => {
    const before = readFileSync(join(root, "workflows", name), "utf8");
    const first = pinned(before, "v1.2.3", commit);
    expect(first).toContain(`${name}@${commit} # v1.2.3\n`);
    const next = pinned(first, "v1.2.4", "f".repeat(40));
    expect(next).toBe(first.replace(`${commit} # v1.2.3`, `${"f".repeat(40)} # v1.2.4`));
    const changed = next.split("\n").filter((line, index) => line !== before.split("\n")[index]);
    expect(changed.filter((line) => !line.startsWith("#"))).toHaveLength(1);
    expect(next).not.toContain("No release exists yet");
  },
);

test.each([
  ["v1", commit],
  ["v1.2.3", "main"],
])("no workflow pins %s to %s", (tag, at) => {
  expect(() => pinned("", tag, at)).toThrow();
});
