import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** An error of vitest in the form that its reporters receive. */
type TestError = NonNullable<ReturnType<TestCase["result"]>["errors"]>[number];

/** A test file with a failure. */
export interface FailedFile {
  readonly file: string;
  readonly project: string;
  /** The number of failed tests, or 1 if the file failed outside a test. */
  readonly failed: number;
  /** Each failed test with its location, the beginning of its message, and the diff. */
  readonly text: string;
}

/** Writes the failed test files as JSON to the file in FAILED_TESTS. */
// biome-ignore lint/style/noDefaultExport: vitest wants reporters as default exports
export default class FailedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env.FAILED_TESTS;
    if (path !== undefined) writeFileSync(path, JSON.stringify(modules.flatMap(failuresIn)));
  }
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
  return [{ file, project, failed: Math.max(1, failed.length), text: texts.join("") }];
}

function describeFailure(file: string, test: string, errors: readonly TestError[]): string {
  const lines = errors.flatMap(({ message, stack, diff }) => [
    ...beginning(stack ?? message, 40),
    ...beginning(diff, 200),
  ]);
  const indented = lines.map((line) => `    ${line}\n`).join("");
  return stripVTControlCharacters(`FAILED ${file} ${test}\n${indented}`);
}

function beginning(text: unknown, lines: number): readonly string[] {
  return typeof text === "string" ? text.split("\n").slice(0, lines) : [];
}
