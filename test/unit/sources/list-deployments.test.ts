import { expect, test } from "vitest";
import type { SourceTree } from "../../../src/ports/git.ts";
import { listDeployments } from "../../../src/sources/list-deployments.ts";

const treeOf = (paths: readonly string[]): SourceTree => ({
  read: async () => undefined,
  readBytes: async () => undefined,
  list: async () => paths,
  folder: () => Promise.reject(new Error("the test reads no directory")),
  linkedPaths: async (path) => [path],
  omitted: async () => [],
  trackedByLfs: async () => [],
});

const numbered = (number: number, path: (i: number) => string) =>
  Array.from({ length: number }, (_, i) => path(i));

test.each([
  [
    "thousands of them in a directory without a repository are one problem",
    numbered(1006, (i) => `test-${i}/shop/.valuestream/qvs.yaml`).concat(
      numbered(30, (i) => `__${i}/_/.valuestream/qvs.yaml`),
    ),
    [
      "The 1036 configs below this directory aren't of one application: test-0/shop/.valuestream/qvs.yaml, test-1/shop/.valuestream/qvs.yaml, test-2/shop/.valuestream/qvs.yaml and 1033 more",
    ],
  ],
  [
    "many with one name are one problem too, such as clones of one repository",
    numbered(50, (i) => `clone-${i}/shop/.valuestream/qvs.yaml`),
    [
      "The 50 configs below this directory aren't of one application: clone-0/shop/.valuestream/qvs.yaml, clone-1/shop/.valuestream/qvs.yaml, clone-2/shop/.valuestream/qvs.yaml and 47 more",
    ],
  ],
  [
    "a few are reported separately",
    ["a/shop/.valuestream/qvs.yaml", "b/shop/.valuestream/qvs.yaml"],
    ['"shop" would be the deployment name of 2 configs'],
  ],
])("among ambiguous QVS configs, %s", async (_, paths, expected) => {
  const listed = await listDeployments(treeOf(paths), "repository");
  const result = listed.ok
    ? []
    : listed.problems.map(({ what, facts = [] }) =>
        [what, ...facts.map(({ value }) => value)].join(": "),
      );
  expect(result).toEqual(expected);
});

test("any number of configs in a repository is found without a list", async () => {
  const paths = numbered(400, (i) => `service-${i}/.valuestream/qvs.yaml`);
  const listed = await listDeployments(treeOf(paths), "repository");
  expect(listed.ok && listed.value.length).toBe(400);
});
