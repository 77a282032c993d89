import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { actionPlaceholder, publication } from "../../src/model/publication.ts";

/**
 * README and the documentation name only things that exist: before a release, that is this clone.
 * `src/model/publication.ts` decides it.
 */
const root = join(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...globSync("docs/**/*.md", { cwd: root, exclude: (path) => path.includes("node_modules") }),
].toSorted();
const read = (path: string) => readFileSync(join(root, path), "utf8");
const scripts: Readonly<Record<string, string>> = JSON.parse(read("package.json")).scripts;

/** Returns each match with its page. */
function allOf(pattern: RegExp): readonly (readonly [page: string, found: string])[] {
  return pages.flatMap((page) =>
    [...read(page).matchAll(pattern)].map(([whole, part]) => [page, part ?? whole] as const),
  );
}

test("the test finds pages and the scripts that they name", () => {
  expect(pages.length).toBeGreaterThan(40);
  expect(allOf(/npm run ([\w:]+)/g).length).toBeGreaterThan(10);
});

test("each script of npm that a page names exists", () => {
  // npm runs those without `run`.
  const named = [...allOf(/npm run ([\w:]+)/g), ...allOf(/\bnpm (test)\b/g)];
  const ofDocs = JSON.parse(read("docs/package.json")).scripts;
  const missing = named.filter(([, name]) => !(name in scripts) && !(name in ofDocs));
  expect(missing).toEqual([]);
});

test("each argument that a page gives to a script of npm exists", () => {
  const given = allOf(/npm run ([\w:]+ -- [\w-]+)/g);
  expect(given.length).toBeGreaterThan(5);
  const missing = given.filter(([, command]) => {
    const [script = "", argument = ""] = command.split(" -- ");
    const [, project] = /^test:(sweep|node)$/.exec(script) ?? [];
    if (project !== undefined) return testFilesNamed(argument, project).length === 0;
    return !new RegExp(`(?<![\\w-])${argument}(?![\\w-])`).test(programOf(script));
  });
  expect(missing).toEqual([]);
});

test("each test file that a page names exists", () => {
  const named = allOf(/vitest run --project (\w+ [\w./-]+)/g);
  expect(named.length).toBeGreaterThan(0);
  const missing = named.filter(([, command]) => {
    const [project = "", path = ""] = command.split(" ");
    return testFilesNamed(path, project).length === 0;
  });
  expect(missing).toEqual([]);
});

/**
 * Returns the test files of a project of vitest whose path contains the text, as vitest selects
 * them.
 */
function testFilesNamed(text: string, project: string): readonly string[] {
  const files = globSync(`test/**/*.${project}.test.ts`, { cwd: root });
  return files.filter((path) => path.includes(text));
}

/** Returns the source of the program behind a script of npm such as `node bench/main.ts`. */
function programOf(script: string): string {
  const [, path = ""] = /^node (\S+)/.exec(scripts[script] ?? "") ?? [];
  expect([script, existsSync(join(root, path))]).toEqual([script, true]);
  return read(path);
}

test.skipIf(publication.action === undefined)("no page mentions a clone after a release", () => {
  expect(allOf(/No release exists yet|OWNER\/REPO\S*@FULL_COMMIT/g)).toEqual([]);
  const { repository } = publication;
  const tags = allOf(new RegExp(`uses: (${repository}\\S*)`, "g")).map(
    ([, it]) => it.split("@")[1],
  );
  expect(new Set(tags)).toEqual(new Set([publication.action?.split("@")[1]]));
});

describe.skipIf(publication.action !== undefined)("without a release", () => {
  test.each([
    ["the package of npm", /npm install --global qvs-action|npx qvs-action\b/g],
    ["a tag", new RegExp(`${publication.repository}[\\w./-]*@\\S+`, "g")],
    ["an address of a published schema", /raw\.githubusercontent\.com\/\S*\/schema/g],
    ["a clone of a tag", /--branch v\d\S*/g],
    ["a module at a tag", new RegExp(`${publication.repository}, revision: \\S+`, "g")],
  ])("no page names %s", (_, pattern) => {
    expect(allOf(pattern)).toEqual([]);
  });

  test("workflows use the placeholder, and a page explains it", () => {
    expect(allOf(/uses: (OWNER\/REPO\S*)/g).length).toBeGreaterThan(5);
    expect(read("docs/get-started/install.md")).toContain("### Name the Action");
    const [repository, ref] = actionPlaceholder.split("@");
    for (const [page, name] of allOf(/uses: (OWNER\/REPO\S*)/g)) {
      const [path = "", commit] = name.slice(repository?.length ?? 0).split("@");
      expect([page, commit]).toEqual([page, ref]);
      const file = path.endsWith(".yml") ? path : join(path, "action.yml");
      expect([page, file, existsSync(join(root, file))]).toEqual([page, file, true]);
    }
  });
});
