import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { play } from "../stories/play.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { runBuilt } from "../support/qvs/run-qvs.ts";
import { type AttackClass, countInputs } from "./attack.ts";

/**
 * Runs stories of attacks in the format of `test/stories`, with the built program on a real control
 * plane. The directory is the class of the attack, and every `qvs` command in a story is an input.
 * `vitest run --project system test/attacks/stories -u` writes the current output, which a reviewer
 * must then read.
 */
const cluster = useCluster();
const classes: Readonly<Record<string, AttackClass>> = {
  "live-values": "live values",
  "secret-fields": "fields of Secrets",
  "foreign-text": "foreign text",
  "built-ins": "names of built-ins",
  "forged-records": "forged records",
  "written-values": "written values",
};
const stories = Object.keys(classes).flatMap(storiesIn);

describe.concurrent("an attacker", () => {
  test.for(stories)("%s", async (story, context) => {
    const path = join(import.meta.dirname, story);
    const text = readFileSync(path, "utf8");
    const folder = story.slice(0, story.indexOf("/"));
    const inputs = text.match(/^\$ qvs /gm)?.length ?? 0;
    countInputs(context, classes[folder] ?? raise(folder), inputs);
    const { onTestFinished, expect } = context;
    const now = await play(text, cluster, { onFinished: onTestFinished, run: runBuilt });
    await expect(now).toMatchFileSnapshot(path);
  });
});

function storiesIn(folder: string): readonly string[] {
  const names = readdirSync(join(import.meta.dirname, folder));
  return names.filter((name) => /^\d.*\.md$/.test(name)).map((name) => `${folder}/${name}`);
}

function raise(folder: string): never {
  throw new Error(`${folder} is no class of attacks`);
}
