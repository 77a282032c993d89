import { Composer, type CST, LineCounter, type YAMLError } from "yaml";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  resultProblems,
  type UnplacedProblem,
} from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/sources/yaml-node.ts";
import { clampOffset, kubectlJsonTags, maxYamlDepth, yamlTokens } from "../../model/text/yaml.ts";
import { type KeyRules, locateYaml } from "./locate.ts";
import { describeYamlError, isUnclosedString } from "./yaml-error.ts";

/** Returns the start of the scalar that ends at `end`, or `end` if there is none. */
function scalarStart(tokens: readonly CST.Token[], end: number): number {
  const waiting = [...tokens];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ("source" in next && next.offset < end && next.offset + next.source.length === end) {
      return next.offset;
    }
    waiting.push(...childTokens(next));
  }
  return end;
}

function childTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((each) => each != null));
}

/**
 * Far more than any config needs. The parser takes about 2 µs per mark, and 10 µs per broken one.
 */
const maxMarks = 512 * 1024;

/**
 * The parser takes 0.1 µs per character of one long string. A ConfigMap can have 1 MiB, which is
 * longer in Base64.
 */
const maxLength = 4 * 1024 * 1024;

interface Dialect extends KeyRules {
  readonly version: "1.1" | "1.2";
  readonly severalDocuments: boolean;
  readonly maxMarks: number;
  readonly maxLength: number;
}

/** The YAML of configs, parameter files and deployments.yaml. */
const configYaml: Dialect = {
  version: "1.2",
  severalDocuments: false,
  mergeKeys: false,
  typedKeys: false,
  ...{ maxMarks, maxLength },
};

/** The YAML that kubectl reads. The CustomResourceDefinitions of one operator can have 4 MB. */
const manifestYaml: Dialect = {
  version: "1.1",
  severalDocuments: true,
  mergeKeys: true,
  typedKeys: true,
  maxMarks: 2 * 1024 * 1024,
  maxLength: 8 * 1024 * 1024,
};

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
  const read = readDocuments(file, text, configYaml);
  return read.ok ? ok(read.value[0] as YamlNode) : read;
}

/**
 * Reads the documents of a file of manifests, as kubectl does. In YAML 1.1, `0644` is octal and
 * `on` is true. A merge key `<<` inserts the fields of another object. The limits are larger.
 */
export function readManifestYaml(file: string, text: string): Result<readonly YamlNode[]> {
  return readDocuments(file, text, manifestYaml);
}

/**
 * Reads the documents that a template rendered, as Helm does: of a repeated key, the last value
 * counts. `onRepeated` receives each repeated key.
 */
export function readRenderedYaml(
  file: string,
  text: string,
  onRepeated: (problem: Problem) => void = () => {},
): Result<readonly YamlNode[]> {
  return readDocuments(file, text, { ...manifestYaml, onRepeated });
}

function readDocuments(file: string, text: string, dialect: Dialect): Result<readonly YamlNode[]> {
  const start = { file, line: 1, column: 1 };
  const { maxLength, maxMarks } = dialect;
  if (text.length > maxLength) return failed([{ where: [start], ...lengthProblem(maxLength) }]);
  if (text.length > maxMarks && countMarks(text) > maxMarks)
    return failed([{ where: [start], ...marksProblem(maxMarks) }]);
  const lines = indexLines(text);
  const broken = /[\0\ufffd]/.exec(text)?.index;
  if (broken !== undefined) return failed([{ where: [place(broken)], ...encodingProblem }]);
  const scanned = yamlTokens(text);
  if ("tooDeepAt" in scanned)
    return failed([{ where: [place(scanned.tooDeepAt)], ...nestingProblem }]);
  const { tokens } = scanned;
  const composer = new Composer({ ...parserOptions, ...schemaOptions(dialect) });
  const documents = [...composer.compose(tokens, true, text.length)];
  const [first, second] = documents;
  const read = dialect.severalDocuments || first === undefined ? documents : [first];
  const faults = read.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  // An error often causes further errors in the lines after it. These would mislead.
  const problems = faults
    .toSorted((a, b) => a.pos[0] - b.pos[0])
    .slice(0, 1)
    .map(asProblem);
  if (!dialect.severalDocuments && second !== undefined)
    problems.push({ where: [place(second.range[0])], ...documentsProblem });
  if (problems.length > 0) return failed(problems);
  const located = read.map(({ contents }) => locateYaml(contents, text, place, dialect));
  const faulty = located.flatMap(resultProblems);
  return faulty.length > 0
    ? failed(faulty)
    : ok(located.flatMap((each) => (each.ok ? [each.value] : [])));

  function place(offset: number): Position {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  }

  function asProblem(error: YAMLError): Problem {
    const [end] = error.pos;
    const start = isUnclosedString(error) ? scalarStart(tokens, end) : end;
    return { where: [place(clampOffset(text, start))], ...describeYamlError(error) };
  }
}

function countMarks(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(marks)) count += 1;
  return count;
}

/**
 * Finds the line breaks of the whole text. The parser stops counting at an error that it can't
 * recover from.
 */
function indexLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

/** Returns the rules for values: YAML 1.2, or those of kubectl. */
function schemaOptions({ version }: Dialect) {
  return version === "1.1" ? { version, customTags: kubectlJsonTags } : { version };
}

function lengthProblem(limit: number): UnplacedProblem {
  return {
    code: "input-too-large",
    what: `The YAML is longer than ${limit / 1024 / 1024} MiB`,
    fix: "Remove values that the deployment doesn't need",
    otherwise: ["move a large value to a .cue file of the adapter"],
  };
}

function marksProblem(limit: number): UnplacedProblem {
  return {
    code: "input-too-large",
    what: `The YAML has more than ${limit / 1024} Ki special characters`,
    why: "Line breaks, punctuation marks and all other characters that can have a meaning in YAML count",
    fix: "Remove values that the deployment doesn't need",
    otherwise: [
      "move a large value to a .cue file of the adapter",
      "write a large value in Base64",
    ],
  };
}

const encodingProblem: UnplacedProblem = {
  code: "not-utf-8",
  what: "The file isn't text in UTF-8",
  fix: "Save it as UTF-8",
};

const nestingProblem: UnplacedProblem = {
  code: "input-too-large",
  what: `The YAML is nested deeper than ${maxYamlDepth} levels`,
  fix: "Use fewer levels",
};

const documentsProblem: UnplacedProblem = {
  code: "invalid-yaml",
  what: "The file contains more than one YAML document",
  fix: 'Keep one document and remove the "---" lines',
};
