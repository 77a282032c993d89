import type { ErrorCode, YAMLError } from "yaml";
import type { Problem, UnplacedProblem } from "../../model/problems/problem.ts";

/**
 * Explains a parser error without quoting the file. A file that isn't YAML can be a private key,
 * and the message appears in logs and comments. The position is enough for users who can read the
 * file.
 */
export function describeYamlError({
  code,
  message,
}: Pick<YAMLError, "code" | "message">): UnplacedProblem {
  const known = knownErrors.find(
    (each) => each.errorCode === code && (each.pattern?.test(message) ?? true),
  );
  const { errorCode: _of, pattern: _pattern, ...explained } = known ?? unknownError;
  return { code: "invalid-yaml", ...explained };
}

/**
 * Reports whether the parser stopped at the end of a string without a closing quotation mark. The
 * string began at or before `error.pos`.
 */
export function isUnclosedString({ code, message }: Pick<YAMLError, "code" | "message">): boolean {
  return code === "MISSING_CHAR" && message.startsWith("Missing closing");
}

interface KnownYamlError extends Pick<Problem, "what" | "why" | "fix" | "otherwise"> {
  readonly errorCode?: ErrorCode;
  /**
   * Distinguishes faults with the same code. The parser's own messages quote the file, so qvs only
   * matches them.
   */
  readonly pattern?: RegExp;
}

const unknownError: KnownYamlError = {
  what: "The YAML is invalid",
  fix: "Correct the syntax here",
  otherwise: ["quote a string that contains special characters"],
};

const knownErrors: readonly KnownYamlError[] = [
  {
    errorCode: "TAG_RESOLVE_FAILED",
    what: "The YAML tag is unknown",
    fix: "Remove the tag",
    otherwise: ["quote the string"],
  },
  {
    errorCode: "TAB_AS_INDENT",
    what: "A tab indents this line",
    fix: "Indent it with spaces",
  },
  {
    errorCode: "MISSING_CHAR",
    pattern: /^Missing closing/,
    what: "A quotation mark isn't closed",
    fix: "Close it",
    otherwise: ["put the whole string in quotes of the other kind"],
  },
  {
    errorCode: "MISSING_CHAR",
    pattern: /^Flow (map|sequence)/,
    what: "A bracket isn't closed",
    fix: "Close the { or [ that was opened before this place",
  },
  {
    errorCode: "BAD_INDENT",
    pattern: /^Flow (map|sequence)/,
    what: "A bracket isn't closed before this line",
    fix: "Close the { or [ that was opened above",
    otherwise: ["indent this line"],
  },
  {
    errorCode: "MISSING_CHAR",
    pattern: /^Missing ,/,
    what: "A comma is missing between two items",
    fix: "Separate the items with a comma",
    otherwise: ["quote the string"],
  },
  {
    errorCode: "MISSING_CHAR",
    pattern: /^Sequence item without -/,
    what: "This line is indented too little or lacks its dash",
    fix: "Indent it like its neighbors",
    otherwise: ["add the dash"],
  },
  {
    errorCode: "MISSING_CHAR",
    pattern: /^Implicit map keys/,
    what: 'This line isn\'t "name: value"',
    fix: "Write a colon and a space after the name",
  },
  {
    errorCode: "MISSING_CHAR",
    pattern: /^Comments must/,
    what: "A comment has no space before its #",
    fix: "Put a space before the #",
    otherwise: ["quote the string that contains it"],
  },
  {
    errorCode: "BAD_INDENT",
    what: "This line isn't indented like its neighbors",
    fix: "Indent it with as many spaces as the lines that it belongs to",
  },
  {
    errorCode: "BLOCK_AS_IMPLICIT_KEY",
    pattern: /^A block sequence/,
    what: "This list item isn't indented like the others",
    fix: "Indent it with as many spaces as the lines that it belongs to",
  },
  {
    errorCode: "BLOCK_AS_IMPLICIT_KEY",
    what: "A second colon follows on this line",
    fix: "Quote the value",
    otherwise: ["start the inner object on a new line"],
  },
  {
    errorCode: "MULTILINE_IMPLICIT_KEY",
    what: 'This line isn\'t "name: value"',
    fix: "Write a colon and a space after the name",
    otherwise: ["correct the indentation"],
  },
  {
    errorCode: "BAD_SCALAR_START",
    what: "This character can't begin an unquoted string",
    fix: "Put the whole value in quotes",
  },
  {
    errorCode: "BAD_DQ_ESCAPE",
    what: "A backslash in double quotes begins an unknown escape sequence",
    fix: "Use single quotes",
    otherwise: ["write the backslash twice"],
  },
  {
    errorCode: "BAD_DIRECTIVE",
    what: "The YAML directive is unknown",
    why: "A line that begins with % is a directive",
    fix: "Remove the line",
    otherwise: ["quote the string"],
  },
  {
    errorCode: "BAD_COLLECTION_TYPE",
    what: "The tag doesn't match the kind of value",
    fix: "Remove the tag",
  },
  {
    errorCode: "UNEXPECTED_TOKEN",
    what: "Unexpected text follows here",
    fix: "Remove it",
    otherwise: ["put the whole string in quotes"],
  },
];
