import { nameFromKey } from "../../model/object.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import {
  aftermath,
  countResults,
  headline,
  type OutcomeReport,
  remarks,
} from "../outcome-report.ts";

/** Renders what a deployment did, what failed and why, and the state that it leaves. */
export function renderOutcomeText(outcome: OutcomeReport): TerminalText {
  const failures = outcome.results.filter(
    (result) => result.outcome === "failed" || result.outcome === "not attempted",
  );
  const lines = [
    exactLine(headline(outcome)),
    ...[outcome.refusal]
      .filter((line) => line !== undefined)
      .flatMap(splitExactLines)
      .map(indent),
    ...failures.map(({ outcome, key, detail }) =>
      indent(exactLine(`${outcome}: ${nameFromKey(key)}${detail === "" ? "" : `: ${detail}`}`)),
    ),
    ...outcome.evidence.flatMap(({ key, lines }) => [
      terminal``,
      indent(exactLine(`${nameFromKey(key)}:`)),
      ...lines.flatMap(splitExactLines).map(indent).map(indent),
    ]),
    ...[aftermath(outcome)]
      .filter((line) => line !== undefined)
      .map(exactLine)
      .map(indent),
    ...[...remarks(outcome), ...(outcome.waysBack ?? [])].flatMap(splitExactLines).map(indent),
    exactLine(countResults(outcome.results)),
  ];
  const shown = lines.filter((line, i) => line !== "" || i < lines.length - 1);
  return terminal`${joined(shown, "\n")}\n`;
}

function splitExactLines(text: string): readonly TerminalText[] {
  return text.split("\n").map(exactLine);
}

function indent(line: TerminalText): TerminalText {
  return terminal`  ${line}`;
}
