import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pinned } from "../../scripts/callers.ts";
import { notesOf } from "../../scripts/changelog.ts";
import { renamed, wrongPublication } from "../../scripts/publication.ts";
import { publication } from "../../src/model/publication.ts";

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
    const first = pinned(before, "acme/deploy", "v1.2.3", commit);
    expect(first).toContain(`uses: acme/deploy/.github/workflows/${name}@${commit} # v1.2.3\n`);
    const next = pinned(first, "acme/deploy", "v1.2.4", "f".repeat(40));
    expect(next).toBe(first.replace(`${commit} # v1.2.3`, `${"f".repeat(40)} # v1.2.4`));
    const changed = next.split("\n").filter((line, index) => line !== before.split("\n")[index]);
    expect(changed.filter((line) => !line.startsWith("#"))).toHaveLength(1);
    expect(next).not.toContain("No release exists yet");
  },
);

test.each([
  ["acme/deploy", "v1", commit],
  ["acme/deploy", "v1.2.3", "main"],
  ["", "v1.2.3", commit],
])("no workflow pins the repository %j at %s to %s", (repository, tag, at) => {
  expect(() => pinned("", repository, tag, at)).toThrow();
});

test.each([
  ["acme/deploy@v0", "acme/deploy", "v0.1.0", true],
  ["acme/deploy@v1", "acme/deploy", "v1.2.3", true],
  ["acme/deploy@v1", "acme/deploy", "v0.1.0", false],
  ["acme/deploy@v1", "other/deploy", "v1.2.3", false],
  [undefined, "acme/deploy", "v0.1.0", false],
])("pages that name %s fit a release of %s at %s: %s", (action, repository, tag, fits) => {
  expect(wrongPublication(action, repository, tag) === undefined).toBe(fits);
});

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => /\.(?:ts|js|json|md|yml|yaml|cue)$|CODEOWNERS/.test(path));
const files = tracked
  .filter((path) => !/^dist\/|package-lock\.json$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test("the whole repository can be published by another owner", () => {
  const named = files.map(({ path, text }) => ({ path, text: renamed(path, text, place) }));
  const owner = publication.repository.split("/")[0];
  const former = new RegExp(`${publication.repository}|@${owner}/`);
  expect(named.filter(({ text }) => former.test(text)).map(({ path }) => path)).toEqual([]);
  const pages = named.filter(({ path }) => /^(?:README|docs|workflows)/.test(path));
  expect(pages.filter(({ text }) => text.includes("FULL_COMMIT"))).toEqual([]);
  // A page must not explain a placeholder that only its explanation still contains.
  const explained = pages.filter(({ text }) => text.includes("`OWNER/REPO`"));
  const stale = explained.filter(({ text }) => !/[^`]OWNER\/REPO|OWNER\/REPO[^`]/.test(text));
  expect(stale.map(({ path }) => path)).toEqual([]);
  const called = pages.flatMap(({ text }) => [...text.matchAll(/uses: (acme\S*)/g)]);
  expect(called.length).toBeGreaterThan(20);
  for (const [, use] of called) expect(use).toMatch(/^acme\/deploy(?:\/[\w./-]+)?@v0$/);
});

const place = "acme/deploy@v0";

test("qvs init and the schemas use the place of publication", () => {
  const text = (path: string) =>
    renamed(path, files.find((it) => it.path === path)?.text ?? "", place);
  expect(text("src/model/publication.ts")).toContain(
    '= { repository: "acme/deploy", action: "acme/deploy@v0" };',
  );
  expect(JSON.parse(text("package.json")).repository.url).toBe(
    "git+https://github.com/acme/deploy.git",
  );
  expect(text("schema/qvs.schema.json")).toContain("https://github.com/acme/deploy/blob/main/docs");
});

test("the files that can't read the setting name the same repository", () => {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(repository.url).toBe(`git+https://github.com/${publication.repository}.git`);
  // Code reads it from src/model/publication.ts.
  const owned = files.filter(({ text }) => text.includes(publication.repository));
  expect(
    owned.map(({ path }) => path).filter((path) => /^(?:scripts|src|workflows)\//.test(path)),
  ).toEqual(["src/model/publication.ts"]);
});
