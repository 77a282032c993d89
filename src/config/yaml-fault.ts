import type { ErrorCode, YAMLError } from "yaml";
import type { Problem } from "../model/problem.ts";

type Fault = Omit<Problem, "where">;

/**
 * What the parser found, without a word of the file: a file that is no YAML may be somebody's key, and the message goes into logs
 * and comments. Its place says enough to whoever may read it.
 */
export function describeYamlFault({ code, message }: Pick<YAMLError, "code" | "message">): Fault {
  if (code === "TAG_RESOLVE_FAILED") {
    return {
      what: "This YAML has a tag that is unknown here",
      fix: "Remove the tag, or quote the text",
    };
  }
  const fault = quoting.get(code) ?? (constant.has(code) ? message : "It cannot be understood");
  return {
    what: `This is not valid YAML: ${fault}`,
    fix: "Correct the syntax here; text that contains special characters must be quoted",
  };
}

/** The parser's messages for these contain what was read. */
const quoting: ReadonlyMap<ErrorCode, string> = new Map<ErrorCode, string>([
  ["UNEXPECTED_TOKEN", "Something unexpected stands here"],
  ["BAD_DQ_ESCAPE", "A backslash in double quotes begins an unknown escape sequence"],
  ["BAD_DIRECTIVE", "Unknown directive; a line that begins with % is one"],
  ["BAD_COLLECTION_TYPE", "The tag does not fit the kind of value"],
  ["BAD_PROP_ORDER", "Anchors and tags must be after the indicator"],
]);

/** The parser's messages for these are always the same sentences. */
const constant: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "ALIAS_PROPS",
  "BAD_ALIAS",
  "BAD_INDENT",
  "BAD_SCALAR_START",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "DUPLICATE_KEY",
  "KEY_OVER_1024_CHARS",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
  "MULTIPLE_ANCHORS",
  "MULTIPLE_TAGS",
  "TAB_AS_INDENT",
]);
