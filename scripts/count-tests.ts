import { readFileSync } from "node:fs";
import type { FailedFile } from "./failed-tests.ts";

/**
 * Prints how many tests passed, failed and were skipped. Takes a report of vitest in JSON and the file
 * of failed-tests.ts, whose count also has files that failed outside of a test.
 */
const [report = "", failures = ""] = process.argv.slice(2);
const { numPassedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
const files = JSON.parse(readFileSync(failures, "utf8")) as readonly FailedFile[];
const failed = files.reduce((sum, file) => sum + file.failed, 0);
console.log(numPassedTests, failed, numPendingTests);
