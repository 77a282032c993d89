import { expect, test } from "vitest";
import type { SourceTree } from "../../../src/ports/git.ts";
import { createParamLookup } from "../../../src/sources/undeclared-params.ts";

const config = (name: string) => `params: [{name: ${name}, type: string}]\ndesignPatterns: []\n`;

test("the configs of a tree are read once, for any number of deployments", async () => {
  const files = new Map([
    ["a/.valuestream/qvs.yaml", config("one")],
    ["b/.valuestream/qvs.yaml", config("two")],
    ["b/.valuestream/qvs_broken.yaml", "params: ["],
    ["notes.yaml", config("three")],
  ]);
  const paths: string[] = [];
  const tree = {
    list: async () => [...files.keys()],
    read: async (path: string) => {
      paths.push(path);
      return files.get(path);
    },
  } as unknown as SourceTree;
  const declaredParams = createParamLookup(tree);
  const answers = await Promise.all([declaredParams(), declaredParams(), declaredParams()]);
  expect(answers.map((names) => [...names].sort())).toEqual([
    ["one", "two"],
    ["one", "two"],
    ["one", "two"],
  ]);
  expect(paths).toHaveLength(3);
});
