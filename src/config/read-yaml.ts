import { Composer, LineCounter, Parser, type YAMLError } from "yaml";
import { failed, type Position, type Problem, type Result } from "../model/problem.ts";
import { locateYaml } from "./locate-yaml.ts";
import { describeYamlFault } from "./yaml-fault.ts";
import { maxDepth, tooDeepAt } from "./yaml-nesting.ts";
import type { YamlNode } from "./yaml-node.ts";

/** Far more than any config needs; the parser takes about 2 µs for a character, 10 µs for a broken one. */
const maxLength = 512 * 1024;

/** One broken line often breaks the lines after it; a reader mends the first ones and runs again. */
const maxSyntaxProblems = 5;

const parserOptions = {
  intAsBigInt: true,
  // The duplicates that it would look for cost quadratic time; locateYaml finds them.
  uniqueKeys: false,
  // Code frames for every error of a broken file take minutes.
  prettyErrors: false,
} as const;

/**
 * Reads one YAML 1.2 document, with the place of everything in it. What JSON cannot hold (other tags, NaN, numbers that
 * would lose digits, keys that are not text) and what could exhaust us (aliases, nesting, size) is a problem.
 */
export function readYaml(file: string, text: string): Result<YamlNode> {
  const start = { file, line: 1, column: 1 };
  if (text.length > maxLength) return failed([{ where: [start], ...tooLong }]);
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = tooDeepAt(tokens);
  if (deep !== undefined) return failed([{ where: [place(deep)], ...tooDeep }]);
  const composer = new Composer(parserOptions);
  const [document, second] = composer.compose(tokens, true, text.length);
  const faults = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  const problems = faults.slice(0, maxSyntaxProblems).map(asProblem);
  if (second !== undefined) problems.push({ where: [place(second.range[0])], ...twoDocuments });
  if (problems.length > 0) return failed(problems);
  return locateYaml(document?.contents ?? null, text, place);

  function place(offset: number): Position {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  }

  function asProblem(error: YAMLError): Problem {
    return { where: [place(error.pos[0])], ...describeYamlFault(error) };
  }
}

type Explanation = Omit<Problem, "where">;

const tooLong: Explanation = {
  what: `The file is longer than ${maxLength / 1024} KiB`,
  fix: "Keep only what the deployment needs in it",
};

const tooDeep: Explanation = {
  what: `This YAML is nested deeper than ${maxDepth} levels`,
  fix: "Flatten it",
};

const twoDocuments: Explanation = {
  what: "The file holds more than one YAML document",
  fix: 'Keep one document and remove the "---" lines',
};
