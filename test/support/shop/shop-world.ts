import { afterAll } from "vitest";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import type { World } from "../../../src/ports/world.ts";
import { openWorld } from "../../../src/world/open-world.ts";
import { startCompiler } from "../cue/native.ts";
import { environment, GitFixture } from "../git/git-fixture.ts";
import { shopFiles } from "./shop-files.ts";

/** Returns the small shop in a Git repository. */
export function shopUnderGit(): GitFixture {
  const git = new GitFixture();
  for (const [path, text] of Object.entries(shopFiles)) git.write(path, text);
  return git;
}

/** Returns deployments.yaml with these entries. It is JSON, which is also valid YAML. */
export function deploymentsFile(...entries: readonly object[]): Readonly<Record<string, string>> {
  const common = { config: "qvs.yaml", params: ["../params.yaml"] };
  const deployments = entries.map((entry) => ({ ...common, ...entry }));
  return { ".valuestream/deployments.yaml": JSON.stringify({ deployments }) };
}

/**
 * Opens worlds with the real compiler and Git, which read commits like the Action, or the working
 * tree like the command. A test file calls it at its top.
 */
export function useWorlds(read: "commit" | "work tree" = "commit") {
  const compiler = startCompiler();
  afterAll(() => compiler.close());
  return async (
    directory: string,
    cluster?: Cluster,
    env: Readonly<Record<string, string>> = {},
  ): Promise<World> => {
    const world = await openWorld({
      directory,
      read,
      env: { ...environment, ...env },
      streams: process,
      compiler,
      kubeconfig: undefined,
      signal: new AbortController().signal,
      repositoryName: "shop",
      origin: { commit: undefined, actor: undefined, run: undefined },
      quiet: true,
    });
    return { ...world, target: async () => targetOf(cluster) };
  };
}

function targetOf(cluster: Cluster | undefined) {
  if (cluster === undefined) throw new Error("The test expects no request to the cluster.");
  return {
    cluster,
    lock: () => {
      throw new Error("This test needs no lock.");
    },
    dryRunLock: async () => undefined,
  };
}
