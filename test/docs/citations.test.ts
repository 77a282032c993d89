import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Comments cite the pages of docs/reference by their headings. A renamed heading fails this test,
 * which names the citations to correct.
 */
const root = join(import.meta.dirname, "..", "..");
const pages = globSync(["*.md", "docs/**/*.md"], {
  cwd: root,
  exclude: (path) => path.includes("node_modules"),
});
const sources = globSync(
  [
    "{src,test,scripts,engine,bench,examples,workflows,.github}/**/*.{ts,go,cue,md,yaml,yml}",
    "*.yml",
  ],
  { cwd: root, exclude: (path) => path.includes("node_modules") },
);
const texts = new Map(
  [...pages, ...sources].map((path) => [path, readFileSync(join(root, path), "utf8")]),
);

describe("every citation leads to an existing heading:", () => {
  it("in a page that is cited by its path", { tags: "slow" }, () => {
    const citation = /(?<![\w./-])docs\/[\w./-]+\.md(?:#[\w-]*)?/g;
    const cited = citationsIn([...texts.keys()], citation, (_, target) => target);
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter(({ target }) => !isThere(target)).map(citationText)).toEqual([]);
  });

  it("in a page that another page links to", () => {
    const link = /(?<=\]\()(?!https?:)[^()\s]*(?=\))/g;
    const linked = citationsIn(pages, link, (page, target) =>
      target.startsWith("#") ? page + target : join(dirname(page), target),
    );
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter(({ target }) => !isThere(target)).map(citationText)).toEqual([]);
  });
});

it("no citation refers to a document outside the repository", { tags: "slow" }, () => {
  const outside =
    /(?<![\w/-])(?:cluster|deploy|design|engine|field|github|house|rollouts|spec|style)\.md\b|§ ?\d/g;
  const cited = citationsIn([...texts.keys()], outside, (_, target) => target);
  expect(cited.map(citationText)).toEqual([]);
});

it("the test finds headings with GitHub's anchors", () => {
  const page = [
    "# Who may do `this`?",
    "```yaml",
    "# no heading",
    "```",
    "## deployments.yaml",
    "## A/B test",
    "## Again",
    "## Again",
  ];
  expect([...anchorsIn(page.join("\n"))]).toEqual([
    "who-may-do-this",
    "deploymentsyaml",
    "ab-test",
    "again",
    "again-1",
  ]);
});

interface Citation {
  readonly where: string;
  readonly target: string;
}

function citationsIn(
  paths: readonly string[],
  pattern: RegExp,
  resolve: (page: string, target: string) => string,
): readonly Citation[] {
  return paths.flatMap((path) =>
    [...(texts.get(path) ?? "").split("\n").entries()].flatMap(([index, line]) =>
      [...line.matchAll(pattern)].map(([target]) => ({
        where: `${path}:${index + 1}`,
        target: resolve(path, target),
      })),
    ),
  );
}

/**
 * Returns true if the target exists. Only anchors of pages are checked; any other file just has to
 * exist.
 */
function isThere(target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const text = texts.get(path);
  if (anchor === undefined || anchor === "") return text !== undefined || exists(path);
  return text !== undefined && anchorsIn(text).has(anchor);
}

function exists(path: string): boolean {
  return globSync(relative(root, join(root, path)), { cwd: root }).length > 0;
}

function citationText({ where, target }: Citation): string {
  return `${where} cites ${target}`;
}

/**
 * Returns the anchors of a page in GitHub's form: lower case, hyphens for spaces, no other signs,
 * and a number if they repeat.
 */
function anchorsIn(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headingsIn(page)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let distinct = anchor;
    for (let count = 1; anchors.has(distinct); count += 1) distinct = `${anchor}-${count}`;
    anchors.add(distinct);
  }
  return anchors;
}

function headingsIn(page: string): readonly string[] {
  const headings: string[] = [];
  let fence: string | undefined;
  for (const line of page.split("\n")) {
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      const text = /^#{1,6} +(.*?)(?: +#+)? *$/.exec(line)?.[1];
      if (text !== undefined) headings.push(text);
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
  }
  return headings;
}
