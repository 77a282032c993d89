import type { Readable } from "node:stream";
import { codeOf } from "../transport/unreachable.ts";

/**
 * The complete lines of a stream, until it ends or is cut; a line that is not complete is dropped. Which of the two it
 * was makes no difference: whether the server is still there shows when the watch is resumed.
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  // Makes chunks text, without breaking characters that lie across two of them.
  stream.setEncoding("utf8");
  let parts: string[] = [];
  try {
    for await (const chunk of stream) {
      const [end = "", ...lines] = (chunk as string).split("\n");
      parts.push(end);
      for (const line of lines) {
        yield parts.join("");
        parts = [line];
      }
    }
  } catch (error) {
    if (!isCut(error)) throw error;
  }
}

/** Errors of the system and of streams have a code; a bug has none. */
function isCut(error: unknown): boolean {
  return codeOf(error) !== undefined;
}
