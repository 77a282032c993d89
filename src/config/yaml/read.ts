import { Composer, LineCounter, type YAMLError } from "yaml";
import { failed, type Position, type Problem, type Result } from "../../model/problems/problem.ts";
import { offsetWithin } from "../../model/text/offset-within.ts";
import { maxDepth, yamlTokens } from "../../model/text/yaml-tokens.ts";
import { describeYamlFault, isUnclosedText } from "./fault.ts";
import { locateYaml } from "./locate.ts";
import type { YamlNode } from "./node.ts";
import { textBefore } from "./text-before.ts";

/**
 * Far more than any config needs. The parser takes about 2 µs per mark, and 10 µs per broken one.
 */
const maxMarks = 512 * 1024;

/**
 * The parser takes 0.1 µs per character of one long string. A ConfigMap can have 1 MiB, which is
 * longer in Base64.
 */
const maxLength = 4 * 1024 * 1024;

/** Every character that can have a meaning in YAML, including line breaks. */
const marks = /[^A-Za-z0-9_ +/=.\u00a1-\u2027\u202a-\ufefe]/g;

const parserOptions = {
  intAsBigInt: true,
  // The parser's search for duplicates takes quadratic time. `locateYaml` finds them instead.
  uniqueKeys: false,
  // Code frames for every error of a broken file take minutes.
  prettyErrors: false,
} as const;

/**
 * Reads one YAML 1.2 document with the positions of all parts.
 * It reports content that JSON can't represent: other tags, NaN, numbers that would lose digits,
 * keys that aren't strings. It also reports aliases, nesting and sizes that could exhaust memory or
 * time.
 */
export function readYaml(file: string, text: string): Result<YamlNode> {
  const start = { file, line: 1, column: 1 };
  if (text.length > maxLength) return failed([{ where: [start], ...tooLong }]);
  if (text.length > maxMarks && countOfMarks(text) > maxMarks)
    return failed([{ where: [start], ...tooMany }]);
  const lines = linesOf(text);
  const broken = /[\0\ufffd]/.exec(text)?.index;
  if (broken !== undefined) return failed([{ where: [place(broken)], ...notText }]);
  const read = yamlTokens(text);
  if ("tooDeepAt" in read) return failed([{ where: [place(read.tooDeepAt)], ...tooDeep }]);
  const { tokens } = read;
  const composer = new Composer(parserOptions);
  const [document, second] = composer.compose(tokens, true, text.length);
  const faults = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  // An error often causes further errors in the lines after it. These would mislead.
  const problems = faults
    .toSorted((a, b) => a.pos[0] - b.pos[0])
    .slice(0, 1)
    .map(asProblem);
  if (second !== undefined) problems.push({ where: [place(second.range[0])], ...twoDocuments });
  if (problems.length > 0) return failed(problems);
  return locateYaml(document?.contents ?? null, text, place);

  function place(offset: number): Position {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  }

  function asProblem(error: YAMLError): Problem {
    const [end] = error.pos;
    const start = isUnclosedText(error) ? textBefore(tokens, end) : end;
    return { where: [place(offsetWithin(text, start))], ...describeYamlFault(error) };
  }
}

function countOfMarks(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(marks)) count += 1;
  return count;
}

/**
 * Finds the line breaks of the whole text. The parser stops counting at an error that it can't
 * recover from.
 */
function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

type Explanation = Omit<Problem, "where">;

const tooLong: Explanation = {
  code: "input-too-large",
  what: `The file is longer than ${maxLength / 1024 / 1024} MiB`,
  fix: "Keep only what the deployment needs in it; a large value may stand in a .cue file of the adapter",
};

const tooMany: Explanation = {
  code: "input-too-large",
  what: `The file has more than ${maxMarks / 1024} Ki line breaks, punctuation marks and other signs that YAML may give a meaning`,
  fix: "Keep only what the deployment needs in it; a large value may stand in a .cue file of the adapter, or here in Base64",
};

const notText: Explanation = {
  code: "not-utf-8",
  what: "This file is not text in UTF-8",
  fix: "Save it with the encoding UTF-8",
};

const tooDeep: Explanation = {
  code: "input-too-large",
  what: `This YAML is nested deeper than ${maxDepth} levels`,
  fix: "Flatten it",
};

const twoDocuments: Explanation = {
  code: "invalid-yaml",
  what: "The file holds more than one YAML document",
  fix: 'Keep one document and remove the "---" lines',
};
