import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** An error of vitest as its reporters get it. */
type TestError = NonNullable<ReturnType<TestCase["result"]>["errors"]>[number];

/**
 * Writes which tests failed to the file that FAILED_TESTS names: where each is, its name, the beginning of its message, and what
 * differs from what is expected.
 */
// biome-ignore lint/style/noDefaultExport: vitest wants reporters as default exports
export default class FailedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env.FAILED_TESTS;
    if (path !== undefined) writeFileSync(path, modules.flatMap(failuresIn).join(""));
  }
}

function failuresIn(module: TestModule): readonly string[] {
  const failed = [...module.children.allTests("failed")];
  const outside = module.errors();
  return [
    ...failed.map((test) => told(module.moduleId, test.fullName, test.result().errors ?? [])),
    ...(outside.length > 0 ? [told(module.moduleId, "", outside)] : []),
  ];
}

function told(file: string, test: string, errors: readonly TestError[]): string {
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
