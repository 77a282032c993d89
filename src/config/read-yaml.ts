import { LineCounter, parseDocument, type YAMLError } from "yaml";
import { failed, type Position, type Problem, type Result } from "../model/problem.ts";
import { locateYaml } from "./locate-yaml.ts";
import type { YamlNode } from "./yaml-node.ts";

/** Far more than any config needs; the parser takes about 2 µs for a character, 10 µs for a broken one. */
const maxLength = 512 * 1024;

/** One broken line often breaks the lines after it; a reader mends the first ones and runs again. */
const maxSyntaxProblems = 5;

/**
 * Reads one YAML 1.2 document, with the place of everything in it. What JSON cannot hold (other tags, NaN, numbers that
 * would lose digits, keys that are not text) and what could exhaust us (aliases, nesting, size) is a problem.
 */
export function readYaml(file: string, text: string): Result<YamlNode> {
  if (text.length > maxLength) return failed([tooLong(file)]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    // The duplicates that it would look for cost quadratic time; locateYaml finds them.
    uniqueKeys: false,
    // Code frames for every error of a broken file take minutes.
    prettyErrors: false,
    logLevel: "silent",
  });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) return failed(faults.slice(0, maxSyntaxProblems).map(asProblem));
  return locateYaml(document.contents, text, place);

  function place(offset: number): Position {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  }

  function asProblem(error: YAMLError): Problem {
    return { where: [place(error.pos[0])], ...sentence(error) };
  }
}

function sentence(error: YAMLError): { what: string; fix: string } {
  switch (error.code) {
    case "RESOURCE_EXHAUSTION":
      return { what: "This YAML is nested too deeply", fix: "Flatten it" };
    case "MULTIPLE_DOCS":
      return {
        what: "The file holds more than one YAML document",
        fix: 'Keep one document and remove the "---" lines',
      };
    case "TAG_RESOLVE_FAILED":
      return { what: `${error.message} in YAML`, fix: "Remove the tag, or quote the text" };
    default:
      return {
        what: `This is not valid YAML: ${error.message}`,
        fix: "Correct the syntax here; text that contains special characters must be quoted",
      };
  }
}

function tooLong(file: string): Problem {
  return {
    where: [{ file, line: 1, column: 1 }],
    what: `The file is longer than ${maxLength / 1024} KiB`,
    fix: "Keep only what the deployment needs in it",
  };
}
