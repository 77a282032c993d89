import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { startCompiler } from "../../src/world/start-compiler.ts";
import { runHere } from "../cli/run-here.ts";
import { useCluster } from "../support/cluster.ts";
import { play } from "./play.ts";

/**
 * Stories of deployments, on a real control plane with its controllers and its scheduler. Each Markdown file is one test:
 * what is declared, what somebody runs, and what came of it. `vitest run --project system test/scenarios -u` writes
 * what comes of it now, for a reviewer to read.
 */
const cluster = useCluster();
const directory = import.meta.dirname;
const files = readdirSync(directory).filter((name) => /^\d.*\.md$/.test(name));

const compiler = startCompiler();

afterAll(() => compiler.close());

describe.concurrent("what becomes of", () => {
  test.for(files)("%s", async (name, { expect, onTestFinished }) => {
    const path = join(directory, name);
    const now = await play(readFileSync(path, "utf8"), cluster, {
      onFinished: onTestFinished,
      run: (folder, args, env) => runHere(folder, args, compiler, env),
    });
    await expect(now).toMatchFileSnapshot(path);
  });
});
