import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mayUseAdapters } from "../../../src/world/adapter-use.ts";
import { temporaryDirectory } from "../../support/git/git-fixture.ts";

const chart = "designPatterns: [{helm: {chart: ../chart}}]\n";
const adapter = "designPatterns:\n  - pattern: acme.example/web\n";

function repository(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, ".valuestream"));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(directory, ".valuestream", name), text);
  return directory;
}

it.each([
  ["a config with a chart", "compile", { "qvs.yaml": chart }, false],
  ["a config with an adapter", "compile", { "qvs.yaml": adapter }, true],
  ["one of two configs with an adapter", "diff", { "qvs-a.yaml": chart, "qvs.yml": adapter }, true],
  ["no config", "deploy", {}, true],
  [
    "a named config",
    "diff -c .valuestream/a.yaml",
    { "a.yaml": chart, "qvs.yaml": adapter },
    false,
  ],
  ["a named config with =", "diff --config=.valuestream/a.yaml", { "a.yaml": adapter }, true],
  ["a named config that doesn't exist", "diff --config no.yaml", { "qvs.yaml": chart }, true],
  ["a flag without its value", "diff --config", { "qvs.yaml": chart }, true],
  ["another directory", "-C apps compile", { "qvs.yaml": chart }, true],
])("%s", (_, line, files, expected) => {
  expect(mayUseAdapters(line.split(" "), repository(files))).toBe(expected);
});

it("a directory without configs", () => {
  expect(mayUseAdapters(["compile"], temporaryDirectory())).toBe(true);
});
