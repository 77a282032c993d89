import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";

/** What is written to an audit log from some moment on. */
export interface AuditLog {
  /** How many parts were read so far. */
  parts(): number;
  /** Reads what is new, in whole lines, and tells whether these words stand in a part after the first `since` ones. */
  has(words: string, since: number): boolean;
  /** The lines read so far that have these words in them. */
  linesWith(words: string): readonly string[];
  text(): string;
}

/**
 * The log of a whole run grows to many megabytes, which nobody has to read again and again: what was there before this file's tests
 * began is of no interest to them, and what is new is read once.
 */
export function auditLogFromNow(path: string): AuditLog {
  const parts: string[] = [];
  let at = existsSync(path) ? statSync(path).size : 0;
  return {
    parts: () => parts.length,
    has(words, since) {
      const part = wholeLines(path, at);
      at += part.length;
      if (part.length > 0) parts.push(part.toString("utf8"));
      return parts.slice(since).some((each) => each.includes(words));
    },
    linesWith: (words) => parts.flatMap((part) => linesIn(part, words)),
    text: () => parts.join(""),
  };
}

function wholeLines(path: string, from: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(statSync(path).size - from);
    const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
    return read.subarray(0, read.lastIndexOf("\n") + 1);
  } finally {
    closeSync(file);
  }
}

/** Without splitting what has nothing to do with it. */
function linesIn(part: string, words: string): readonly string[] {
  const lines: string[] = [];
  for (let found = part.indexOf(words); found >= 0; ) {
    const end = part.indexOf("\n", found);
    lines.push(part.slice(part.lastIndexOf("\n", found) + 1, end));
    found = part.indexOf(words, end);
  }
  return lines;
}
