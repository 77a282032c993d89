import { expect, onTestFinished, test, vi } from "vitest";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { openWorld } from "../../../src/world/open-world.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";

const compiler: Compiler = {
  compile: () => Promise.reject(new Error("Nothing is compiled here.")),
  compileCached: () => Promise.reject(new Error("Nothing is compiled here.")),
  render: () => Promise.reject(new Error("Nothing is compiled here.")),
  renderChart: () => Promise.reject(new Error("Nothing is compiled here.")),
  describe: () => Promise.reject(new Error("Nothing is described here.")),
  list: () => Promise.reject(new Error("Nothing is listed here.")),
  close: async () => {},
};

function open(directory: string, read: "work tree" | "commit", quiet = true) {
  return openWorld({
    directory,
    read,
    env: environment,
    streams: process,
    compiler,
    kubeconfig: undefined,
    signal: new AbortController().signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: undefined, run: undefined },
    quiet,
  });
}

test.each([
  ["work tree", "changed", "left by another step"],
  ["commit", "committed", undefined],
] as const)("the files of a %s are read", async (read, tracked, untracked) => {
  const fixture = new GitFixture();
  fixture.commit({ "params.yaml": "committed" });
  fixture.write("params.yaml", "changed");
  fixture.write("kubeconfig.yaml", "left by another step");
  const { tree } = (await open(fixture.directory, read)).source;
  expect(await tree.read("params.yaml")).toBe(tracked);
  expect(await tree.read("kubeconfig.yaml")).toBe(untracked);
});

test("without a checkout, a command that needs commits explains how to get one", async () => {
  await expect(open(temporaryDirectory(), "commit")).rejects.toThrow("Run actions/checkout");
});

test("a rejected deployment is no longer reported as waiting", async () => {
  const world = await open(temporaryDirectory(), "work tree", false);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  world.progress({ name: "a" } as Deployment).report({ type: "preparing", step: "compiling" });
  world.progress({ name: "b" } as Deployment).report({ type: "preparing", step: "planning" });
  vi.advanceTimersByTime(30_000);
  world.close();
  expect(lines.join("")).toBe("[    30s] Still planning\n");
});
