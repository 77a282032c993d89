import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";

/** The lines that are added to an audit log after the start. */
export interface AuditLog {
  /** Returns the number of parts that were read so far. */
  parts(): number;
  /**
   * Reads the new complete lines. Returns whether a part after the first `since` ones contains
   * these words.
   */
  has(words: string, since: number): boolean;
  /** Returns the lines so far that contain these words. */
  linesWith(words: string): readonly string[];
  text(): string;
}

/**
 * Opens an audit log at its current end. The log of a complete run has many megabytes. Therefore
 * the lines before this test file are skipped, and each new line is read once.
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

/** Returns the lines that contain the words, without splitting the other lines. */
function linesIn(part: string, words: string): readonly string[] {
  const lines: string[] = [];
  for (let found = part.indexOf(words); found >= 0; ) {
    const end = part.indexOf("\n", found);
    lines.push(part.slice(part.lastIndexOf("\n", found) + 1, end));
    found = part.indexOf(words, end);
  }
  return lines;
}
