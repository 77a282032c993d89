import { existsSync, readFileSync } from "node:fs";

/**
 * Prints the tests that failed by vitest's JSON report: where each is, its name and the beginning of its message.
 */
interface Report {
  testResults: {
    name: string;
    message: string;
    status: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const path = process.argv[2] ?? "";
if (existsSync(path)) {
  const report = JSON.parse(readFileSync(path, "utf8")) as Report;
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter(({ status }) => status === "failed");
    for (const test of failed) print(file.name, test.fullName, test.failureMessages.join("\n"));
    if (failed.length === 0 && file.status === "failed") print(file.name, "", file.message);
  }
} else console.log(`No report at ${path}: the tests did not get to their end.`);

function print(file: string, test: string, message: string): void {
  const lines = message.split("\n").slice(0, 40);
  console.log([`FAILED ${file} ${test}`, ...lines.map((line) => `    ${line}`)].join("\n"));
}
