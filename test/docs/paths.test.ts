import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const topFolders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const srcFolders = readdirSync(join(root, "src"));
const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...globSync(["docs/*/*.md", "docs/reference/*/*.md"], { cwd: root }).toSorted(),
];

const readmes = globSync("src/**/README.md", { cwd: root }).toSorted();
const fileNames = new Set(
  ["src", "test", "scripts"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }))
    .map((path) => basename(path)),
);

/**
 * Returns the files and directories of this project that a text names, from its root or from src.
 * The names of tests can omit the extension.
 */
function pathsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, path = ""]) => path);
  return quoted.flatMap((path) => {
    const [top = "", below] = path.replace(/#.*$/, "").split("/");
    const isPath = below !== undefined && [...topFolders, ...srcFolders].includes(top);
    return isPath || path.endsWith(".ts") ? [path.replace(/#.*$/, "")] : [];
  });
}

function isThere(path: string): boolean {
  const places = ["", "src"].flatMap((folder) => {
    const place = join(folder, path.replaceAll("…", "*"));
    return ["", ".ts", ".test.ts", ".long.test.ts"].map((ending) => `${place}${ending}`);
  });
  // A file name without a directory means all files with this name.
  if (!path.includes("/") && someFileIsNamed(path)) return true;
  return places.some((place) => find(place).length > 0);
}

function someFileIsNamed(name: string): boolean {
  if (!name.includes("*")) return fileNames.has(name);
  return [...fileNames].some((each) => matchesGlob(each, name));
}

/** Returns the files and directories at a path. Reads directories only if it has a wildcard. */
function find(path: string): readonly string[] {
  if (path.includes("*")) return globSync(path, { cwd: root });
  return existsSync(join(root, path)) ? [path] : [];
}

describe("the files and directories that are named in", () => {
  it.each(pages)("%s exist", (page) => {
    const named = pathsIn(readFileSync(join(root, page), "utf8"));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  it.each(pages)("%s contain the named code", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const named = [...text.matchAll(/`(\w+)` (?:in|of) `([\w/.-]+\.ts)`/g)];
    const missing = named.filter(([, name = "", path = ""]) => {
      const file = [path, join("src", path)].find((place) => existsSync(join(root, place)));
      return file === undefined || !readFileSync(join(root, file), "utf8").includes(name);
    });
    expect(missing.map(([words]) => words)).toEqual([]);
  });
});

describe("the source map in CONTRIBUTING.md", () => {
  it("has every directory of src", () => {
    const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
    const folders = srcFolders.filter((name) => !name.includes("."));
    expect(folders.filter((name) => !text.includes(`\`src/${name}/\``))).toEqual([]);
  });
});

describe("the diffs in CONTRIBUTING.md", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const files = Array.from(
    text.matchAll(/^@@ (\S+)\n((?:[ +].*\n)+)/gm),
    ([, file = "", lines = ""]) => [file, lines] as const,
  );

  it.each(files)("show lines of %s", (file, lines) => {
    const shown = lines.split("\n").map((line) => line.slice(1).trim().replace(/…$/, ""));
    const source = readFileSync(join(root, file), "utf8");
    expect(shown.filter((line) => !source.includes(line))).toEqual([]);
  });
});

const exported = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm;
const exportsOf = (path: string) =>
  Array.from(readFileSync(join(root, path), "utf8").matchAll(exported), ([, name = ""]) => name);

describe("a README in src", () => {
  const allExports = new Set(globSync("src/**/*.ts", { cwd: root }).flatMap(exportsOf));
  const quotedIn = (readme: string) =>
    Array.from(readFileSync(join(root, readme), "utf8").matchAll(/`([^`]+)`/g), ([, word = ""]) =>
      word.replace(/#.*$/, ""),
    );

  it.each(readmes)("names existing files and directories: %s", (readme) => {
    const paths = quotedIn(readme).filter((word) => /\.ts$|\/$|^(?:src|docs)\//.test(word));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => findNear(readme, path).length === 0)).toEqual([]);
  });

  it.each(readmes)("names exported symbols: %s", (readme) => {
    const names = quotedIn(readme).filter((word) => /^\w*[a-z][A-Z]\w*$/.test(word));
    expect(names.filter((name) => !allExports.has(name))).toEqual([]);
  });

  it.each(readmes)("names functions with the files that export them: %s", (readme) => {
    const text = readFileSync(join(root, readme), "utf8").replaceAll(/\s+/g, " ");
    const named = [...text.matchAll(/((?:`\w+`(?:, | and )?)+) in `([^`]+\.ts)`/g)];
    const missing = named.flatMap(([, names = "", path = ""]) => {
      const there = findNear(readme, path).flatMap(exportsOf);
      return [...names.matchAll(/\w\w+/g)].filter(
        ([name]) => name !== "and" && !there.includes(name),
      );
    });
    expect(missing.map(([name]) => name)).toEqual([]);
  });
});

/**
 * Returns the files at a path from the directory of a README, from src, or from the root of the
 * project.
 */
function findNear(readme: string, path: string): readonly string[] {
  const places = [dirname(readme), "src", "."].map((folder) =>
    join(folder, path).replace(/\/$/, ""),
  );
  const found = places.map(find);
  return found.find((files) => files.length > 0) ?? [];
}
