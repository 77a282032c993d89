import type { Result } from "../../../src/model/problems/problem.ts";
import { describeProblem } from "../../support/describe-problem.ts";

/** Returns the text for a user: the problems, or the value as `show` writes it. */
export function resultText<T>(result: Result<T>, show: (value: T) => string): string {
  return result.ok ? show(result.value) : result.problems.map(describeProblem).join("\n");
}

/**
 * Returns the lines of a template string, without the first line break and the common indentation.
 */
export function lines(strings: TemplateStringsArray): string {
  const all = strings.join("").split("\n").slice(1);
  const depth = Math.min(...all.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return all
    .map((line) => line.slice(depth))
    .join("\n")
    .trimEnd();
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(resultText(result, String));
  return result.value;
}
