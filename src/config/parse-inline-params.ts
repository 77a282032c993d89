import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { GivenParam } from "./parse-params.ts";

/** Reads the values of `--param NAME=VALUE`. They go after those of the files, because the last value counts. */
export function parseInlineParams(assignments: readonly string[]): Result<readonly GivenParam[]> {
  const problems = assignments.filter((text) => text.indexOf("=") < 1).map(notAnAssignment);
  return problems.length > 0 ? failed(problems) : ok(assignments.map(asGiven));
}

/** What was written may hold a secret, so it is not repeated. */
function notAnAssignment(): Problem {
  return {
    where: [],
    what: "An inline parameter is not of the form NAME=VALUE",
    fix: 'Write, for example, "--param replicas=3"',
  };
}

function asGiven(assignment: string): GivenParam {
  const equals = assignment.indexOf("=");
  const name = assignment.slice(0, equals).trim();
  const value = assignment.slice(equals + 1);
  const where = { file: `--param ${name}`, line: 1, column: 1 };
  return { name, value: { kind: "scalar", value, source: value, where }, by: "inline" };
}
