import { exitCode } from "../../src/cli/output/report-failure.ts";
import { findingCodes } from "../../src/model/problems/finding-codes.ts";
import { previousCodes } from "../../src/model/problems/previous-codes.ts";
import { problemCodes } from "../../src/model/problems/problem-codes.ts";
import { fixesOfFindings, severityRules } from "./finding-details.ts";
import { severitiesOfFindings, severitiesOfProblem } from "./severities.ts";
import { table } from "./table.ts";

export const problems = () => sections(problemCodes, severitiesOfProblem);
export const findings = () =>
  sections(
    findingCodes,
    (code) => severitiesOfFindings[code],
    (code) => ({ rule: severityRules[code], fix: fixesOfFindings[code] }),
  );

const meanings: Readonly<Record<keyof typeof exitCode, string>> = {
  done: "Done.",
  user: "Error. Nothing was changed, the deployment failed, or a check failed (`status`, `--check`, `--fail-on`).",
  changes: "`diff --exit-code` found changes, or `drift` found drift.",
  superseded: "Superseded by a newer run of the same deployment.",
  interrupted: "Canceled by Ctrl-C or with its job.",
  bug: "Bug in qvs. Only this code comes with a stack trace.",
};

export function exitCodes(): string {
  const rows = Object.entries(exitCode)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, number]) => [`${number}`, meanings[name as keyof typeof exitCode]]);
  return table(["Code", "Meaning"], rows);
}

/** Returns the former name as a sentence, so that a search for it finds the section. */
function formerly(name: string): string {
  const [former] = Object.entries(previousCodes).find(([, current]) => current === name) ?? [];
  return former === undefined ? "" : ` Formerly \`${former}\`.`;
}

interface Details {
  readonly rule?: string | undefined;
  readonly fix?: string | undefined;
}

/** Returns text such as `error, warning or note`. */
function alternatives(words: readonly string[]): string {
  const [last, ...others] = words.toReversed();
  return others.length === 0 ? (last ?? "") : `${others.toReversed().join(", ")} or ${last}`;
}

/** Returns a section for each code, so that it can be linked to. */
function sections<Code extends string>(
  codes: Readonly<Record<Code, string>>,
  severitiesOf: (code: Code) => readonly string[],
  detailsOf: (code: Code) => Details = () => ({}),
): string {
  return (Object.entries(codes) as [Code, string][])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => {
      const { rule, fix } = detailsOf(name);
      const when = rule === undefined ? "" : ` ${rule}`;
      const severity = `Severity: ${alternatives(severitiesOf(name))}.${when}${formerly(name)}`;
      const remedy = fix === undefined ? "" : `\n\n**Fix**: ${fix}`;
      return `## ${name}\n\n${severity}\n\n${text}${remedy}`;
    })
    .join("\n\n");
}
