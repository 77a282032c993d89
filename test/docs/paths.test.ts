import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

/** Files and folders of this project that a text names, from its root or from src; of a test its ending may be left out. */
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
  // The name of a file alone stands for all that are called so.
  if (!path.includes("/")) places.push(`{src,test,scripts}/**/${path}`);
  return places.some((place) =>
    /[*{]/.test(place) ? globSync(place, { cwd: root }).length > 0 : existsSync(join(root, place)),
  );
}

describe("the files and folders that are named in", () => {
  it.each(pages)("%s are there", (page) => {
    const named = pathsIn(readFileSync(join(root, page), "utf8"));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  it.each(pages)("%s have what is said to be in them", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const named = [...text.matchAll(/`(\w+)` (?:in|of) `([\w/.-]+\.ts)`/g)];
    const missing = named.filter(([, name = "", path = ""]) => {
      const file = [path, join("src", path)].find((place) => existsSync(join(root, place)));
      return file === undefined || !readFileSync(join(root, file), "utf8").includes(name);
    });
    expect(missing.map(([words]) => words)).toEqual([]);
  });
});
