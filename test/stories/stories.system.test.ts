import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { verifiedClaims } from "../accuracy/claims.ts";
import { nothingCompared } from "../accuracy/compare.ts";
import { recordComparison } from "../accuracy/compared-versions.ts";
import { runPredicted } from "../accuracy/run-predicted.ts";
import {
  defaultKubernetes,
  otherKubernetes,
  selectedKubernetes,
} from "../support/cluster/kubernetes-versions.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import { play } from "./play.ts";

/**
 * Plays stories of deployments on a real control plane with its controllers and its scheduler. Each
 * Markdown file is one test: manifests, commands and their output.
 * `vitest run --project system test/stories -u` writes the current output, for a reviewer to read.
 * `QVS_RECORD=yes` records how many predictions came true on this version of Kubernetes.
 */
const cluster = useCluster();
const directory = import.meta.dirname;
/**
 * The version of Kubernetes, if it isn't the usual one. Its messages differ, so the test compares
 * only predictions with results.
 */
const other = selectedKubernetes();
const release = other === undefined ? defaultKubernetes : otherKubernetes[other];
/** A kind that is new in 1.36. */
const newKind = "kind: MutatingAdmissionPolicy\n";
const lacksKind = other !== undefined && Number(other.split(".")[1]) < 36;
const isPlayable = (name: string) =>
  name.endsWith(".md") &&
  !(lacksKind && readFileSync(join(directory, name), "utf8").includes(newKind));
const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .filter(isPlayable)
  .toSorted();

const compiler = startCompiler();
const accuracy = nothingCompared();

afterAll(() => compiler.close());

describe.concurrent("the story", () => {
  test.for(files)("%s", async (name, { expect, onTestFinished }) => {
    const path = join(directory, name);
    const now = await play(readFileSync(path, "utf8"), cluster, {
      onFinished: onTestFinished,
      run: (folder, args, env = {}) => runPredicted(folder, args, compiler, env, accuracy),
    });
    if (other === undefined) await expect(now).toMatchFileSnapshot(path);
  });
});

test("the previews in the stories are right", () => {
  const { objects, fields, refusals, warnings, rollbacks, wrong } = accuracy;
  const share = ({ right, all }: typeof objects) => `${right} of ${all}`;
  console.log(
    `objects ${share(objects)}, fields ${share(fields)}, refusals ${share(refusals)}, warnings ${share(warnings)}, rollbacks ${share(rollbacks)} as predicted (${rollbacks.unknown} unknown)\n${[...wrong, ...rollbacks.wrong].join("\n")}`,
  );
  if (process.env.QVS_RECORD === "yes") recordComparison(release, files.length, accuracy);
  const { stories } = verifiedClaims();
  expect(objects.right).toBeGreaterThan(stories.objects);
  expect(fields.right).toBeGreaterThan(stories.fields);
  expect(refusals.right).toBeGreaterThan(stories.refusals);
  expect(warnings.right).toBeGreaterThan(stories.warnings);
  expect(objects.right).toBe(objects.all);
  expect(fields.right / fields.all).toBeGreaterThan(0.995);
  expect(refusals.right).toBe(refusals.all);
  expect(warnings.right).toBe(warnings.all);
  expect(rollbacks.wrong.filter((each) => each.includes("predicted not possible"))).toEqual([]);
  expect(rollbacks.right / rollbacks.all).toBeGreaterThan(0.99);
  expect(rollbacks.right).toBeGreaterThan(500);
});
