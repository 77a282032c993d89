import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/model/object.ts";
import { text } from "../../support/plan/declare.ts";
import { appliedFrom } from "../../support/plan/live.ts";
import { planOf, planText } from "../../support/plan/plan-text.ts";

const job = (name: string, spec: string) =>
  `app/${name}: {apiVersion: batch/v1, kind: Job, metadata: {name: ${name}}, spec: {${spec}}}\n`;
const key = (name: string) => `batch:Job::shop/${name}`;

const declared = [
  job("done", "ttlSecondsAfterFinished: 60"),
  job("suspended", "ttlSecondsAfterFinished: 60, suspend: true"),
  job("cleaned-up", "backoffLimit: 1"),
].join("");
const gone = ["done", "suspended", "cleaned-up"].map(key);

test("a correction doesn't run an absent Job again, because it has completed", () => {
  const plan = planOf({ before: declared, declared, gone, corrects: true });
  expect(planText(plan)).toBe(
    text(`
    create Job shop/suspended (app, server)
    notice: Job shop/cleaned-up no longer exists
    `),
  );
});

test("a correction doesn't run a terminating Job again", () => {
  const done = job("done", "backoffLimit: 1");
  const [[at, { metadata, ...rest }]] = [...appliedFrom(done)] as [[string, KubeObject]];
  const dying = { ...rest, metadata: { ...metadata, deletionTimestamp: "2024-05-01T00:00:00Z" } };
  const live = new Map([[at, dying]]);
  const plan = planOf({ before: done, declared: done, live, corrects: true });
  expect(planText(plan)).toBe("notice: Job shop/done no longer exists");
});

test("a deployment runs the absent Job again", () => {
  expect(planText(planOf({ before: declared, declared, gone }))).toContain("create Job shop/done");
});
