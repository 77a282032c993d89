/**
 * A fenced block of Markdown: the info string after the fence, and the text with its last line end.
 */
export interface Block {
  readonly info: readonly string[];
  readonly text: string;
  /** Offsets of the text in the document. */
  readonly start: number;
  readonly end: number;
}

/** Returns the fenced blocks of a Markdown document, in order. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^(`{3,})(.*)\n([\s\S]*?)^\1$/gm)].map((match) => {
    const [, fence = "", info = "", text = ""] = match;
    const start = match.index + fence.length + info.length + 1;
    return { info: info.split(" "), text, start, end: start + text.length };
  });
}
