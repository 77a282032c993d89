import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const bin = join(root, "node_modules/.bin");

/** Returns the directory of a project whose tests are these files. */
function projectOf(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "retry-"));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  symlinkSync(join(root, "scripts"), join(directory, "scripts"));
  mkdirSync(join(directory, "results"));
  const config = `export default { test: { projects: [{ test: { name: "unit", include: ["*.test.js"] } }] } };`;
  writeFileSync(join(directory, "vitest.config.js"), config);
  for (const [name, body] of Object.entries(files)) {
    const text = `import { expect, test } from "vitest";\nimport { appendFileSync, readFileSync } from "node:fs";\n${body}\n`;
    writeFileSync(join(directory, `${name}.test.js`), text);
  }
  return directory;
}

/** Runs all tests, then those that failed once more. Returns the counts and the written files. */
function runAndRetry(directory: string) {
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, NO_COLOR: "1" };
  const failures = join(directory, "results/tests.failed.json");
  const reporters = ["--reporter=./scripts/failed-tests.ts", "--reporter=json"];
  const report = join(directory, "report.json");
  spawnSync("vitest", ["run", "--project", "unit", ...reporters, `--outputFile.json=${report}`], {
    cwd: directory,
    env: { ...env, FAILED_TESTS: failures },
  });
  const script = (name: string, ...args: readonly string[]) =>
    execFileSync("node", [join("scripts", name), ...args], { cwd: directory, env }).toString();
  const counts = script("count-tests.ts", report, failures).trim();
  script("retry-failed-tests.ts", "results");
  const read = (name: string) => readFileSync(join(directory, "results", name), "utf8");
  return { counts, retry: read("retry.counts").trim(), text: read("retry.failures"), read };
}

const passes = `test("passes", () => {});`;
const fails = `test("fails", () => { expect(1).toBe(2); });`;
const failsOnce = `test("fails once", () => {
  appendFileSync("runs", ".");
  expect(readFileSync("runs", "utf8")).toBe("..");
});`;
const failsOutside = `import { beforeAll } from "vitest"; beforeAll(() => { throw new Error("no cluster"); }); ${passes}`;

const crashesOnce = `test("crashes once", () => {
  appendFileSync("crashes", ".");
  if (readFileSync("crashes", "utf8") === ".") process.kill(process.pid, "SIGKILL");
});`;

test("a file whose process ends once counts as passed", () => {
  const { counts, retry, text, read } = runAndRetry(projectOf({ passes, crashesOnce }));
  expect(counts).toBe("1 1 0");
  expect(retry).toBe("1 -1 0");
  expect(text).toBe("");
  expect(read("unsteady")).toContain("crashesOnce.test.js (its process ended)");
});

test("a file that fails once counts as passed, and one that fails twice as failed", () => {
  const { counts, retry, text, read } = runAndRetry(projectOf({ passes, fails, failsOnce }));
  expect(counts).toBe("1 2 0");
  expect(retry).toBe("1 -1 0");
  expect(text).toContain("expected 1 to be 2");
  expect(text).not.toContain("fails once");
  expect(read("unsteady")).toMatch(/failsOnce.test.js[\s\S]*expected '\.' to be '\.\.'/);
});

test("a file that fails outside of its tests counts as one failure", () => {
  const { counts, retry, text } = runAndRetry(projectOf({ failsOutside }));
  expect(counts).toMatch(/^0 1 /);
  expect(retry).toBe("0 0 0");
  expect(text).toContain("no cluster");
});

test("no file runs again if more than five fail", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const files = Object.fromEntries(names.map((name) => [name, name === "a" ? failsOnce : fails]));
  const { counts, retry, text } = runAndRetry(projectOf(files));
  expect(counts).toBe("0 6 0");
  expect(retry).toBe("0 0 0");
  expect(text).toContain("6 test files failed: more than 5, so none runs again.");
});
