import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { needOf, type Page, readPage } from "./read-page.ts";

const root = join(import.meta.dirname, "../../..");

export interface DocumentationPage {
  /** The path from the root of the repository. */
  readonly path: string;
  readonly file: string;
  readonly page: Page;
}

/** The documentation for users: the README, and the pages of the site. */
const documentation: readonly DocumentationPage[] = globSync(["README.md", "docs/**/*.md"], {
  cwd: root,
  exclude: (path) => path.includes("node_modules"),
})
  .toSorted()
  .map((path) => {
    const file = join(root, path);
    return { path, file, page: readPage(readFileSync(file, "utf8")) };
  });

export function pagesThatNeed(need: "cluster" | "no cluster"): readonly DocumentationPage[] {
  return documentation.filter(({ page }) => needOf(page) === need);
}
