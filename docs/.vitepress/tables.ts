import type { MarkdownRenderer } from "vitepress";

/** Markdown has no table without heads. A head without text is a plain cell, so that nobody is told of a heading that isn't there. */
export function plainHeads(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("plain-heads", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "th_open" || tokens[index + 1]?.content !== "") continue;
      token.tag = "td";
      const close = tokens[index + 2];
      if (close !== undefined) close.tag = "td";
    }
  });
}
