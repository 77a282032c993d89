import type { MarkdownRenderer } from "vitepress";

/** Pages are Markdown, not templates: `{{ … }}` in them is text of Helm or of a workflow, and nothing to be computed. */
export function keepBraces(markdown: MarkdownRenderer): void {
  for (const rule of ["text", "code_inline"] as const) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...args) =>
      (render?.(...args) ?? "").replaceAll("{{", "&#123;&#123;").replaceAll("}}", "&#125;&#125;");
  }
}
