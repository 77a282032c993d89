import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FailedFile } from "./failed-tests.ts";

/**
 * Runs each failed test file once more, alone: on a busy machine, a test can fail because other
 * tests use the CPU. A file that passes then counts as passed.
 *
 * `node scripts/retry-failed-tests.ts DIRECTORY` reads the `*.failed.json` files of failed-tests.ts
 * from this directory. It writes `retry.counts` (numbers to add to passed, failed, skipped),
 * `retry.failures`, and `unsteady`: the files that passed the second time, with their first errors.
 */
const mostUnsteady = 5;

const [directory = "."] = process.argv.slice(2);
const failed = readdirSync(directory)
  .filter((name) => name.endsWith(".failed.json"))
  .flatMap((name) => read(join(directory, name)));

if (failed.length > mostUnsteady) {
  const many = `${failed.length} test files failed: more than ${mostUnsteady}, so none runs again.\n`;
  report({ passed: 0, failures: many + failed.map(({ text }) => text).join("") });
} else {
  const results = failed.map(retry);
  const steady = results.filter((each) => each !== undefined);
  const unsteady = failed.filter((_, index) => results[index] === undefined);
  const lines = unsteady.map(({ file, text }) => `unsteady: ${file}, which passed alone\n${text}`);
  writeFileSync(join(directory, "unsteady"), lines.join(""));
  const passed = unsteady.reduce((sum, { failed: tests }) => sum + tests, 0);
  report({ passed, failures: steady.map(({ text }) => text).join("") });
}

function read(path: string): readonly FailedFile[] {
  return JSON.parse(readFileSync(path, "utf8")) as readonly FailedFile[];
}

/** Runs a failed file again. Returns its new failure, or undefined if it passed. */
function retry({ file, project, engine, text }: FailedFile): FailedFile | undefined {
  console.log(`--- again, alone: ${file}`);
  const output = join(directory, "again.json");
  rmSync(output, { force: true });
  const reporters = ["--reporter=default", "--reporter=./scripts/failed-tests.ts"];
  const { status } = spawnSync("vitest", ["run", "--project", project, file, ...reporters], {
    stdio: "inherit",
    env: { ...process.env, QVS_TEST_ENGINE: engine, FAILED_TESTS: output },
  });
  if (status === 0) return undefined;
  const [again] = existsSync(output) ? read(output) : [];
  return again ?? { file, project, engine, failed: 1, text };
}

function report({ passed, failures }: { readonly passed: number; readonly failures: string }) {
  writeFileSync(join(directory, "retry.counts"), `${passed} ${-passed} 0\n`);
  writeFileSync(join(directory, "retry.failures"), failures);
}
