import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/** An error of vitest in the form that its reporters receive. */
type TestError = NonNullable<ReturnType<TestCase["result"]>["errors"]>[number];

const engine = process.env.QVS_TEST_ENGINE;

/** A test file with a failure. */
export interface FailedFile {
  readonly file: string;
  readonly project: string;
  /** The value of QVS_TEST_ENGINE. */
  readonly engine: string | undefined;
  /** The number of failed tests, or 1 if the file failed outside a test. */
  readonly failed: number;
  /** Each failed test with its location, the beginning of its message, and the diff. */
  readonly text: string;
}

/**
 * Writes the failed test files as JSON to the file in FAILED_TESTS. A file whose process ended
 * before its tests has failed too: V8 can crash (github.com/nodejs/node/issues/64500).
 */
// biome-ignore lint/style/noDefaultExport: vitest wants reporters as default exports
export default class FailedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env.FAILED_TESTS;
    if (path === undefined) return;
    const crashed = modules.filter(isUnfinished).map(({ moduleId, project }) => {
      const text = describeFailure(moduleId, "(its process ended)", unhandled);
      return { file: moduleId, project: project.name, engine, failed: 1, text };
    });
    const failed = modules.filter((each) => !isUnfinished(each)).flatMap(failuresIn);
    writeFileSync(path, JSON.stringify([...failed, ...crashed]));
  }
}

function isUnfinished(module: TestModule): boolean {
  return !["passed", "failed", "skipped"].includes(module.state());
}

function failuresIn(module: TestModule): readonly FailedFile[] {
  const { moduleId: file } = module;
  const failed = [...module.children.allTests("failed")];
  const outside = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
  if (failed.length + outside.length === 0) return [];
  const texts = [
    ...failed.map((test) => describeFailure(file, test.fullName, test.result().errors ?? [])),
    ...(outside.length > 0 ? [describeFailure(file, "", outside)] : []),
  ];
  const { name: project } = module.project;
  return [{ file, project, engine, failed: Math.max(1, failed.length), text: texts.join("") }];
}

function describeFailure(
  file: string,
  test: string,
  errors: readonly (TestError | SerializedError)[],
): string {
  const lines = errors.flatMap((error) => [
    ...beginning(error.stack ?? error.message, 40),
    ...beginning("diff" in error ? error.diff : undefined, 200),
  ]);
  const indented = lines.map((line) => `    ${line}\n`).join("");
  return stripVTControlCharacters(`FAILED ${file} ${test}\n${indented}`);
}

function beginning(text: unknown, lines: number): readonly string[] {
  return typeof text === "string" ? text.split("\n").slice(0, lines) : [];
}
