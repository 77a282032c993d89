import { join } from "node:path";
import { defineConfig } from "vitepress";
import { filteredCodes } from "./codes.ts";
import { commandsOnly, diffColors, fileNames } from "./fences.ts";
import { buttons, layoutOf, pictures } from "./home.ts";
import { anchorOf, linksToRepository } from "./links.ts";
import { keepBraces } from "./plain-text.ts";
import { miniSearch } from "./search.ts";
import { searchDialog } from "./search-dialog.ts";
import { nav, sidebar } from "./sidebar.ts";
import { plainHeads, stackedTables } from "./tables.ts";

/** The site is complete in itself: no fonts, scripts or pictures from elsewhere, and a search that runs in the browser. */
export default defineConfig({
  title: "qvs",
  description:
    "Preview, deploy and roll back Kubernetes applications from CUE Infrastructure Adapters",
  lang: "en",
  cleanUrls: false,
  // The path below which the pages are served, when that is not the root of a host.
  base: process.env.DOCS_BASE ?? "/",
  // Vite reads the options for its own target from here, and not those of the project above.
  vite: {
    esbuild: { tsconfigRaw: { compilerOptions: { target: "es2022" } } },
    plugins: [searchDialog()],
    resolve: {
      alias: [
        {
          find: /^.*\/VPSidebarItem\.vue$/,
          replacement: join(import.meta.dirname, "theme/SidebarItem.vue"),
        },
      ],
    },
  },
  srcExclude: ["node_modules/**"],
  metaChunk: true,
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    codeTransformers: [diffColors, commandsOnly],
    config(markdown) {
      linksToRepository(markdown);
      keepBraces(markdown);
      plainHeads(markdown);
      stackedTables(markdown);
      filteredCodes(markdown);
      fileNames(markdown);
      buttons(markdown);
      pictures(markdown);
    },
  },
  transformPageData: ({ relativePath, frontmatter }) => {
    Object.assign(frontmatter, layoutOf(relativePath));
  },
  themeConfig: {
    search: { provider: "local", options: { detailedView: true, miniSearch } },
    outline: { level: [2, 3] },
    nav,
    sidebar,
    docFooter: { prev: "Before", next: "Next" },
  },
});
