import { readFileSync } from "node:fs";
import type { FailedFile } from "./failed-tests.ts";

/**
 * Prints how many tests passed, failed and were skipped. The arguments are a JSON report of vitest
 * and the file of failed-tests.ts, whose count also has files that failed outside a test.
 */
const [report = "", failures = ""] = process.argv.slice(2);
const { numPassedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
const files = JSON.parse(readFileSync(failures, "utf8")) as readonly FailedFile[];
const failed = files.reduce((sum, file) => sum + file.failed, 0);
console.log(numPassedTests, failed, numPendingTests);
