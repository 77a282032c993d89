import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { publication } from "../../src/model/publication.ts";

const root = join(import.meta.dirname, "../..");
const repository = `https://github.com/${publication.repository}`;

/**
 * Pages link to files beside docs/ as they are read in the repository. On the site these links lead there; a link to a file that does not
 * exist is left as it is, so that the build fails.
 */
export function linksToRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("links-to-repository", ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== "link_open") continue;
        token.attrSet("href", addressOf(token.attrGet("href") ?? "", env.path));
      }
    }
  });
}

function addressOf(href: string, page: string): string {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const file = relative(root, join(dirname(page), path));
  if (file.startsWith("docs/") || !existsSync(join(root, file))) return href;
  const kind = statSync(join(root, file)).isDirectory() ? "tree" : "blob";
  return `${repository}/${kind}/main/${file}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** The anchor that GitHub makes of a heading, so that a link works in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}
