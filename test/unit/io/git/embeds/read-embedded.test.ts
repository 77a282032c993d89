import { expect, test } from "vitest";
import { findEmbedNames } from "../../../../../src/io/git/embeds/embed-names.ts";
import { findEmbedded, mightMatch } from "../../../../../src/io/git/embeds/read-embedded.ts";

test.each([
  ["a plain name", "a: _ @embed(file=a.txt)", "file a.txt"],
  ["a name in quotes", 'a: _ @embed(file="a b.txt", type=text)', "file a b.txt"],
  ["a name in single quotes", "a: _ @embed(file='a.txt')", "file a.txt"],
  ["a name in a raw string", 'a: _ @embed(file=#"a\\b.txt"#)', "file a\\b.txt"],
  ["escapes", 'a: _ @embed(file="\\u0061\\".txt")', 'file a".txt'],
  ["an escape sequence that only CUE has", 'a: _ @embed(glob="\\[a\\].txt")', "glob [a].txt"],
  ["brackets and commas in quotes", 'a: _ @embed(file="a),(b.txt")', "file a),(b.txt"],
  ["brackets outside of quotes", "a: _ @embed(glob=a[0-9].txt, type=text)", "glob a[0-9].txt"],
  ["blanks, lines and another order", "a: _ @embed( type=text,\n\tfile = a.txt\n)", "file a.txt"],
  ["several", "a: _ @embed(file=a)\nb: _ @embed(glob=*.b)", "file a, glob *.b"],
  ["none", "a: _ @embed(type=text) @tag(file=a)", ""],
  ["an unclosed quote before a closed one", '// @embed(file="a\nb: _ @embed(file=b)', "file b"],
  ["an unclosed bracket", "// @embed(file=a", ""],
])("file names in attributes: %s", (_, text, expected) => {
  const names = findEmbedNames(text).map(({ type, path }) => `${type} ${path}`);
  expect(names.join(", ")).toBe(expected);
});

test.each([
  ["*", ["", "a", "a.b"], []],
  ["*.yaml", [".yaml", "a.yaml", "a.b.yaml"], ["a.yml", "yaml", "a.yaml.txt"]],
  ["a*b*c", ["abc", "aXbYc", "abbc", "abcbc"], ["ab", "acb", "abcd"]],
  ["?.txt", ["a.txt", "é.txt", "😀.txt"], [".txt", "ab.txt"]],
  ["[a-c]x", ["ax", "bx"], ["x", "abx"]],
  ["[^]]x", ["ax"], ["x"]],
  ["[]a]x", ["]x", "ax"], ["x"]],
  ["a\\*b", ["a*b"], ["aXb"]],
])("the glob %s", (pattern, fits, others) => {
  expect(fits.filter((name) => mightMatch(pattern, name))).toEqual(fits);
  expect(others.filter((name) => mightMatch(pattern, name))).toEqual([]);
});

/** Returns the embedded files of a commit. `links` contains link targets by path. */
function found(texts: Record<string, string>, files: readonly string[], links = {}): string {
  const listing = {
    entries: [...files, ...Object.keys(links)].map((path) => ({ path, object: path })),
    links: new Map<string, string>(Object.entries(links)),
    submodules: [],
    unnamable: [],
  };
  const all = findEmbedded("m", new Map(Object.entries(texts)), listing);
  return [...all].map(([path, to]) => `${path}: ${to === "outside" ? to : to.path}`).join(", ");
}

const embedding = (...names: readonly string[]) =>
  names.map((each) => `@embed(${each})\n`).join("");

test.each([
  ["a sibling file", "file=a.txt", "x/a.txt: m/x/a.txt"],
  ["a file in a subdirectory", "file=d/b.txt", "x/d/b.txt: m/x/d/b.txt"],
  ["a missing file", "file=none.txt", ""],
  ["a directory", "file=d", ""],
  ["a file in a parent directory", 'file="../y.txt"', ""],
  ["a path that isn't normalized", "file=./a.txt", ""],
  ["an absolute path", "file=/etc/passwd", ""],
  ["a glob", "glob=*.txt", "x/a.txt: m/x/a.txt"],
  ["a glob over directories", "glob=*/*.txt", "x/d/b.txt: m/x/d/b.txt, x/link/b.txt: m/x/d/b.txt"],
  ["hidden files", "glob=.*", "x/.env: m/x/.env"],
  ["a name with glob characters", "file=*.txt", ""],
  ["a CUE file that is already read", "file=x.cue", ""],
  ["a link within the module", "file=inside", "x/inside: m/y.txt"],
  ["a link out of the module", "file=outside", "x/outside: outside"],
  ["a file behind a directory outside the module", "file=away/s.txt", ""],
  ["a circular link", "file=circle", "x/circle: outside"],
])("files of a commit: %s", (_, name, expected) => {
  const files = ["m/x/x.cue", "m/x/a.txt", "m/x/d/b.txt", "m/x/.env", "m/y.txt", "secret/s.txt"];
  const links = {
    "m/x/link": "d",
    "m/x/inside": "../y.txt",
    "m/x/outside": "../../secret/s.txt",
    "m/x/away": "../../secret",
    "m/x/circle": "circle",
  };
  expect(found({ "x/x.cue": embedding(name) }, files, links)).toBe(expected);
});

test("globs and many attributes take little time", { tags: "slow" }, () => {
  const files = Array.from({ length: 2000 }, (_, number) => `m/${"a".repeat(250)}${number}`);
  const slow = `glob="${"*a".repeat(120)}b"`;
  const tooMany = 'The CUE files in "m" embed too many files';
  expect(found({ "x.cue": embedding(slow) }, files)).toBe("");
  expect(found({ "x.cue": "@embed(".repeat(9_000) }, files)).toBe("");
  for (const text of [
    embedding(slow, slow),
    embedding("glob=*").repeat(11),
    embedding("file=a").repeat(10_001),
  ]) {
    expect(() => found({ "x.cue": text }, files)).toThrow(tooMany);
  }
});
