import type { MarkdownRenderer } from "vitepress";

/** Above a fence with `file=PATH` stands that path: it is what a reader writes there, and what the tests of the page write. */
export function showFileNames(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const shown = fence?.(tokens, index, ...rest) ?? "";
    const path = / file=(\S+)/.exec(tokens[index]?.info ?? "")?.[1];
    if (path === undefined) return shown;
    return `<p class="file-name"><code>${markdown.utils.escapeHtml(path)}</code></p>${shown}`;
  };
}
