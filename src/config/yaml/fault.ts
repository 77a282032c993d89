import type { ErrorCode, YAMLError } from "yaml";
import type { Problem } from "../../model/problems/problem.ts";

type Fault = Omit<Problem, "where">;

/**
 * Explains a parser error without quoting the file. A file that isn't YAML can be a private key,
 * and the message appears in logs and comments. The position is enough for users who can read the
 * file.
 */
export function describeYamlFault({ code, message }: Pick<YAMLError, "code" | "message">): Fault {
  if (code === "TAG_RESOLVE_FAILED") {
    return {
      code: "invalid-yaml",
      what: "This YAML has a tag that is unknown here",
      fix: "Remove the tag, or quote the text",
    };
  }
  const known = faults.find((each) => each.of === code && (each.pattern?.test(message) ?? true));
  return {
    code: "invalid-yaml",
    what: `This is not valid YAML: ${known?.what ?? "it cannot be understood"}`,
    fix:
      known?.fix ?? "Correct the syntax here; text that contains special characters must be quoted",
  };
}

/**
 * Reports whether the parser stopped at the end of a string without a closing quotation mark. The
 * string began at or before `error.pos`.
 */
export function isUnclosedText({ code, message }: Pick<YAMLError, "code" | "message">): boolean {
  return code === "MISSING_CHAR" && message.startsWith("Missing closing");
}

interface KnownFault {
  readonly of: ErrorCode;
  readonly what: string;
  readonly fix: string;
  /**
   * Distinguishes faults with the same code. The parser's own messages quote the file, so qvs only
   * matches them.
   */
  readonly pattern?: RegExp;
}

const faults: readonly KnownFault[] = [
  {
    of: "TAB_AS_INDENT",
    what: "a tab indents this line",
    fix: "Indent it with spaces",
  },
  {
    of: "MISSING_CHAR",
    pattern: /^Missing closing/,
    what: "a quotation mark begins here, and nothing closes it",
    fix: "Close it, or put the whole text in quotes of the other kind",
  },
  {
    of: "MISSING_CHAR",
    pattern: /^Flow (map|sequence)/,
    what: "a bracket was not closed",
    fix: "Close the { or [ that was opened before this place",
  },
  {
    of: "BAD_INDENT",
    pattern: /^Flow (map|sequence)/,
    what: "a bracket was not closed before this line",
    fix: "Close the { or [ that was opened above, or indent this line",
  },
  {
    of: "MISSING_CHAR",
    pattern: /^Missing ,/,
    what: "a comma is missing between two items",
    fix: "Separate the items with a comma, or quote the text",
  },
  {
    of: "MISSING_CHAR",
    pattern: /^Sequence item without -/,
    what: "this line is less indented than what it belongs to, or lacks its dash",
    fix: "Indent it like its neighbours",
  },
  {
    of: "MISSING_CHAR",
    pattern: /^Implicit map keys/,
    what: 'this line is not "name: value"',
    fix: "Write a colon and a space after the name",
  },
  {
    of: "MISSING_CHAR",
    pattern: /^Comments must/,
    what: "a comment needs a space before its #",
    fix: "Put a space before the #, or quote the text that holds it",
  },
  {
    of: "BAD_INDENT",
    what: "this line is not indented like its neighbours",
    fix: "Indent it with as many spaces as the lines that it belongs to",
  },
  {
    of: "BLOCK_AS_IMPLICIT_KEY",
    pattern: /^A block sequence/,
    what: "this item of a list is not indented like the others",
    fix: "Indent it with as many spaces as the lines that it belongs to",
  },
  {
    of: "BLOCK_AS_IMPLICIT_KEY",
    what: "a second colon follows on this line",
    fix: "Quote the value, or begin the inner map on a line of its own",
  },
  {
    of: "MULTILINE_IMPLICIT_KEY",
    what: 'this line is not "name: value"',
    fix: "Write a colon and a space after the name, and check the indentation",
  },
  {
    of: "BAD_SCALAR_START",
    what: "no text can begin with this character unless it is quoted",
    fix: "Put the whole value in quotes",
  },
  {
    of: "BAD_DQ_ESCAPE",
    what: "a backslash in double quotes begins an unknown escape sequence",
    fix: "Use single quotes, or write the backslash twice",
  },
  {
    of: "BAD_DIRECTIVE",
    what: "unknown directive; a line that begins with % is one",
    fix: "Remove the line, or quote the text",
  },
  {
    of: "BAD_COLLECTION_TYPE",
    what: "the tag does not fit the kind of value",
    fix: "Remove the tag",
  },
  {
    of: "UNEXPECTED_TOKEN",
    what: "there is something unexpected here",
    fix: "Remove it, or put the whole text in quotes",
  },
];
