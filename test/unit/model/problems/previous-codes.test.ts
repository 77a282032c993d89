import { gunzipSync, gzipSync } from "node:zlib";
import type { Command } from "commander";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { readInputs } from "../../../../src/action/inputs/read-inputs.ts";
import { buildProgram } from "../../../../src/cli/program/build-program.ts";
import type { Shell } from "../../../../src/cli/program/shell.ts";
import { unknownAnnotations } from "../../../../src/compile/unknown-annotations.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { findingCodes } from "../../../../src/model/problems/finding-codes.ts";
import { currentCode, previousCodes } from "../../../../src/model/problems/previous-codes.ts";
import { problemCodes } from "../../../../src/model/problems/problem-codes.ts";
import { readFacts } from "../../../../src/planning/predict.ts";
import type { Cue, CueValue } from "../../../../src/ports/cue.ts";
import { computeFindings } from "../../../../src/preflight/compute-findings.ts";
import { decodeReleases } from "../../../../src/releases/decode.ts";
import { encodeRelease } from "../../../../src/releases/encode.ts";
import { buildReview } from "../../../../src/report/review/build-review.ts";
import { readReview } from "../../../../src/report/review/read-review.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { planOf } from "../../../support/plan/plan-text.ts";
import { release } from "../../../support/plan/release-from.ts";
import { commentCases } from "../../../support/report/comment-cases.ts";

const current = new Set([...Object.keys(findingCodes), ...Object.keys(problemCodes)]);
const formerFindings = Object.keys(previousCodes).filter(
  (code) => currentCode(code) in findingCodes,
);

test("a former code has a current code and isn't one itself", () => {
  expect(Object.values(previousCodes).filter((code) => !current.has(code))).toEqual([]);
  expect(Object.keys(previousCodes).filter((code) => current.has(code))).toEqual([]);
  expect(new Set(Object.values(previousCodes)).size).toBe(Object.keys(previousCodes).length);
});

test.each(["image-not-pinned", "constructor", "toString", ""])("%j has no new name", (code) => {
  expect(currentCode(code)).toBe(code);
});

test("--fail-on accepts former codes", async () => {
  const shell = { argv: [], env: {}, cwd: () => "/" } as unknown as Shell;
  const diff = named(await buildProgram(async () => {}, shell, new Set(["diff"])), "diff");
  const option = diff?.options.find(({ long }) => long === "--fail-on");
  expect(formerFindings.length).toBe(11);
  for (const code of formerFindings)
    expect(option?.parseArg?.(`${code}, error`, undefined)).toEqual([currentCode(code), "error"]);
  expect(() => option?.parseArg?.("gave-way", undefined)).toThrow("Unknown: gave-way");
});

function named({ commands }: Command, name: string): Command | undefined {
  return commands.find((each) => each.name() === name);
}

test("the input fail-on accepts former codes", () => {
  vi.stubEnv("INPUT_FAIL-ON", "coming-admission\ndeletes-others, deletions");
  onTestFinished(() => void vi.unstubAllEnvs());
  const expected = ["pending-admission", "deletes-outside-objects", "deletions"];
  expect(readInputs().failOn).toEqual(expected);
});

test("an adapter that allows a former code compiles", () => {
  const cue = { lookup: () => undefined, position: () => undefined } as unknown as Cue;
  const problemsOf = (allowed: string) => {
    const object = { metadata: { annotations: { "vs.axis-dev.io/allow": allowed } } };
    return unknownAnnotations({ resource: "app/web", object }, {} as CueValue, cue).problems;
  };
  expect(problemsOf(formerFindings.join(", "))).toEqual([]);
  expect(problemsOf("gave-way").map(({ what }) => what)).toEqual([
    'Resource app/web allows the unknown finding "gave-way"',
  ]);
});

const replicaSet = (image: string, allowed: string) => ({
  ...{ apiVersion: "apps/v1", kind: "ReplicaSet" },
  metadata: {
    ...{ name: "web", namespace: "shop" },
    annotations: { "vs.axis-dev.io/allow": `image-not-pinned, ${allowed}` },
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image }] },
    },
  },
});

const fromRecord = (object: JsonObject): JsonObject => {
  const compress = (text: string) => new Uint8Array(gzipSync(text));
  const manifest = { stage: "app", resource: "web", object, dependsOn: [] } as const;
  const recorded = { ...release(1, "succeeded"), expandedConfig: [manifest] };
  const secrets = encodeRelease(recorded, { namespace: "shop", compress });
  const decoded = decodeReleases("shop", secrets, (bytes) => gunzipSync(bytes).toString());
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problems));
  return decoded.value.newest?.expandedConfig[0]?.object ?? {};
};

test.each([
  ["a manifest", (object: JsonObject) => object],
  ["a recorded release", fromRecord],
])("the annotation in %s allows a finding by its former code", async (_, source) => {
  const isAllowed = async (allowed: string) => {
    const declared = stringify({ "app/web": source(replicaSet("web:2", allowed)) });
    const before = stringify({ "app/web": replicaSet("web:1", allowed) });
    const plan = planOf({ before, declared });
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    const reading = { cluster: fakeCluster([]), concurrency: 1, now: "2026-01-01T00:00:00Z" };
    const facts = await readFacts(reading, plan.value);
    const releases = { declared: new Set<string>() };
    return computeFindings({ plan: plan.value, facts, releases, placeOf: () => undefined })
      .filter(({ code }) => code === "old-pods-remain")
      .map(({ allowed: found }) => found !== undefined);
  };
  expect(await isAllowed("old-pods-stay")).toEqual([true]);
  expect(await isAllowed("old-pods-remain")).toEqual([true]);
  expect(await isAllowed("owner-gone")).toEqual([false]);
});

test("a plan.json with former codes is read with current codes", () => {
  const found = commentCases.find(({ name }) => name === "findings of every kind");
  if (found === undefined) throw new Error("There is no such case.");
  const review = buildReview(found.input);
  const json = (finding: string, notice: string) => {
    const problem = { code: notice, where: [], what: "x", fix: "y" };
    return JSON.stringify({ ...review, previewProblems: [problem] }).replaceAll(
      '"image-not-pinned"',
      JSON.stringify(finding),
    );
  };
  expect(json("deletes-owned", "taken-along")).toContain('"deletes-owned"');
  const read = readReview(json("deletes-owned", "taken-along"), "plan.json");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  expect(read.value).toEqual(parse(json("deletes-dependents", "also-deleted")));
  // A finding's code isn't a problem's code.
  expect(readReview(json("taken-along", "taken-along"), "plan.json").ok).toBe(false);
});
