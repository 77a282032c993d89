import type { MarkdownRenderer } from "vitepress";

/** The front page, which has buttons and no sidebar. It has no front matter, which GitHub shows. */
const home = "index.md";

/** Returns the front matter that a page has only on the site. */
export function layoutOf(page: string): Readonly<Record<string, unknown>> {
  return page === home ? { sidebar: false, aside: false, pageClass: "home" } : {};
}

/** Makes buttons of the links in a paragraph of the front page that contains nothing else. */
export function buttons(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("buttons", ({ tokens, env }) => {
    if (env.relativePath !== home) return;
    for (const [index, { type, content }] of tokens.entries()) {
      const isOfLinks = type === "inline" && /^(?:\[[^\]]*\]\([^)]*\)(?: · |$)){2,}$/.test(content);
      if (isOfLinks && tokens[index - 1]?.type === "paragraph_open")
        tokens[index - 1]?.attrSet("class", "buttons");
    }
  });
}

/**
 * Shows the light or the dark variant of a `<picture>` as the reader sets the site. Browsers and
 * GitHub choose it as the reader's system is set.
 */
export function pictures(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.html_block;
  markdown.renderer.rules.html_block = (...args) =>
    (render?.(...args) ?? "").replaceAll(
      /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)" ([^>]+)>\s*<\/picture>/g,
      (_, dark: string, light: string, attributes: string) =>
        `<p><img class="only-light" src="${relative(light)}" ${attributes}><img class="only-dark" src="${relative(dark)}" ${attributes}></p>`,
    );
}

/** Vite takes a path without `./` for a package. */
function relative(path: string): string {
  return path.startsWith(".") ? path : `./${path}`;
}
