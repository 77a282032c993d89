import {
  type Label,
  type ProblemLine,
  type ProblemOrFinding,
  problemLines,
} from "../../model/problems/problem-text.ts";
import { exactLines, plainLines } from "../../redaction/terminal.ts";
import { line, type TextLine, verbatim } from "./text-lines.ts";

/** Returns the lines of an error or finding for a report on a terminal or in a log. */
export function problemTextLines(problem: ProblemOrFinding, label: Label): readonly TextLine[] {
  return problemLines(problem, label).flatMap((each) => toTextLines(each, label));
}

export function toTextLines({ part, text }: ProblemLine, label: Label): readonly TextLine[] {
  switch (part) {
    case "title":
      return text
        .split("\n")
        .map((one, index) => line(plainLines(index === 0 ? one : `  ${one}`), label));
    case "place":
      return [line(plainLines(text))];
    case "fact":
      return [line(plainLines(text))];
    case "help":
      return [line(plainLines(text), "help")];
    case "paste":
      return [verbatim(exactLines(text), "help")];
  }
}
