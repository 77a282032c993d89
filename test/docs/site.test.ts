import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { groups, nav, sidebar } from "../../docs/.vitepress/sidebar.ts";

const root = join(import.meta.dirname, "../..");
const exclude = (path: string) => path.includes("node_modules");
const pages = globSync("docs/**/*.md", { cwd: root, exclude }).toSorted();
const texts = new Map(pages.map((path) => [path, readFileSync(join(root, path), "utf8")]));

describe("the pages of the site", () => {
  it("are each in the sidebars once", () => {
    const shown = groups.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`));
    expect(shown.toSorted()).toEqual(pages.filter((path) => path !== "docs/index.md"));
  });

  it("show a sidebar that contains them", () => {
    const places = Object.entries(sidebar);
    const without = groups
      .flatMap(({ items }) => items.map(({ link }) => link))
      .filter((link) => {
        const [, own = []] = places.find(([place]) => link.startsWith(place)) ?? [];
        return !own.some(({ items }) => items.some((item) => item.link === link));
      });
    expect(without).toEqual([]);
    expect(nav.filter(({ link, activeMatch }) => !RegExp(activeMatch).test(link))).toEqual([]);
  });

  it("begin with one heading", () => {
    const without = pages.filter((path) => !/^# \S.*\n(?![\s\S]*^# )/.test(unfenced(path)));
    expect(without).toEqual([]);
  });

  it("load nothing from other sites", () => {
    const pictures =
      /!\[[^\]]*\]\(https?:|<(?:script|link|iframe)\b|\bsrc(?:set)?="(?:https?:)?\/\//;
    expect(pages.filter((path) => pictures.test(unfenced(path)))).toEqual([]);
  });

  it("link to other sites by https, with a host and without spaces", () => {
    const links = [...texts].flatMap(([path, text]) =>
      Array.from(text.matchAll(/\]\((https?:[^)]*)\)/g), ([, link = ""]) => ({ path, link })),
    );
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(({ link }) => !isSound(link))).toEqual([]);
  });
});

describe("commands that no test runs", () => {
  // Clouds, GitHub, Argo CD and Helm aren't available to tests. All other commands are console
  // blocks.
  const allowed = [
    "docs/deploy/helm.md",
    "docs/get-started/install.md",
    "docs/get-started/preview-pull-requests.md",
    "docs/integrate/editors.md",
    "docs/integrate/notifications.md",
    "docs/integrate/oidc.md",
    "docs/integrate/private-modules.md",
    "docs/migrate/from-argo-cd.md",
    "docs/migrate/from-helm.md",
  ];

  it("have a placeholder, or are on few pages", () => {
    const found = pages.filter((path) =>
      shellBlocks(path).some((text) => !/\b[A-Z]{3,}\b/.test(text)),
    );
    expect(found).toEqual(allowed.filter((path) => found.includes(path)));
  });

  it("show no prompt and no output", () => {
    const prompts = pages.filter((path) =>
      /^ *```(?:sh|bash)\n(?:(?!```)[^\n]*\n)*?\$ /m.test(texts.get(path) ?? ""),
    );
    expect(prompts).toEqual([]);
  });
});

/** Returns the text of each block that is to be copied. */
function shellBlocks(path: string): readonly string[] {
  const block = /^ *```(?:sh|bash|shell)\n([\s\S]*?)^ *```$/gm;
  return Array.from((texts.get(path) ?? "").matchAll(block), ([, text = ""]) => text);
}

function unfenced(path: string): string {
  return (texts.get(path) ?? "").replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "");
}

function isSound(link: string): boolean {
  const url = URL.parse(link);
  return url?.protocol === "https:" && url.hostname.includes(".") && !link.includes(" ");
}
