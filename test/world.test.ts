import { expect, test } from "vitest";
import type { Compiler } from "../src/ports.ts";
import { openWorld } from "../src/world.ts";
import { environment, GitFixture, temporaryDirectory } from "./io/git/git-fixture.ts";

const compiler: Compiler = {
  compile: () => Promise.reject(new Error("Nothing is compiled here.")),
  recall: () => Promise.reject(new Error("Nothing is compiled here.")),
  describe: () => Promise.reject(new Error("Nothing is described here.")),
  list: () => Promise.reject(new Error("Nothing is listed here.")),
  close: async () => {},
};

function open(directory: string, read: "work tree" | "commit") {
  return openWorld({
    directory,
    read,
    env: environment,
    compiler,
    kubeconfig: undefined,
    signal: new AbortController().signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: undefined, run: undefined },
    quiet: true,
  });
}

test.each([
  ["work tree", "changed", "left by another step"],
  ["commit", "committed", undefined],
] as const)("of a %s that is what is read", async (read, tracked, untracked) => {
  const fixture = new GitFixture();
  fixture.commit({ "params.yaml": "committed" });
  fixture.write("params.yaml", "changed");
  fixture.write("kubeconfig.yaml", "left by another step");
  const { tree } = (await open(fixture.directory, read)).source;
  expect(await tree.read("params.yaml")).toBe(tracked);
  expect(await tree.read("kubeconfig.yaml")).toBe(untracked);
});

test("without a checkout, whoever wants commits is told how to get one", async () => {
  await expect(open(temporaryDirectory(), "commit")).rejects.toThrow("Run actions/checkout");
});
