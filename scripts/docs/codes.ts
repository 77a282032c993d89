import { exitCode } from "../../src/cli/output/failure.ts";
import { findingCodes } from "../../src/model/problems/finding-codes.ts";
import { problemCodes } from "../../src/model/problems/problem-codes.ts";
import { table } from "./table.ts";

export const problems = () => sections(problemCodes);
export const findings = () => sections(findingCodes);

const meanings: Readonly<Record<keyof typeof exitCode, string>> = {
  done: "Done.",
  user: "Something for the user to correct: nothing was changed, the deployment failed, or what was asked about is not as it should be (`status`, `--check`, `--fail-on`).",
  changes: "`diff --exit-code` found changes, or `drift` found drift.",
  superseded: "A newer run of the same deployment took over before this one was done.",
  interrupted: "Cancelled: Ctrl-C, or a cancelled job.",
  bug: "A bug of qvs; only then there is a stack trace.",
};

export function exitCodes(): string {
  const rows = Object.entries(exitCode)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, number]) => [`${number}`, meanings[name as keyof typeof exitCode]]);
  return table(["code", "meaning"], rows);
}

/** A section for each code, so that it can be linked to. */
function sections(codes: Readonly<Record<string, string>>): string {
  return Object.entries(codes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `## ${name}\n\n${text}`)
    .join("\n\n");
}
