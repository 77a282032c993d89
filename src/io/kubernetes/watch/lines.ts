import type { Readable } from "node:stream";

/** The complete lines of a stream. What follows the last line break is dropped: it was cut off. */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  // Makes chunks text, without breaking characters that lie across two of them.
  stream.setEncoding("utf8");
  let parts: string[] = [];
  for await (const chunk of stream) {
    const [end = "", ...lines] = (chunk as string).split("\n");
    parts.push(end);
    for (const line of lines) {
      yield parts.join("");
      parts = [line];
    }
  }
}
