import { expect, test } from "vitest";
import { text } from "./declare.ts";
import { planOf, planText } from "./plan-text.ts";

const job = (name: string, spec: string) =>
  `app/${name}: {apiVersion: batch/v1, kind: Job, metadata: {name: ${name}}, spec: {${spec}}}\n`;
const key = (name: string) => `batch:Job::shop/${name}`;

const declared = [
  job("done", "ttlSecondsAfterFinished: 60"),
  job("suspended", "ttlSecondsAfterFinished: 60, suspend: true"),
  job("stays", "backoffLimit: 1"),
].join("");
const gone = ["done", "suspended", "stays"].map(key);

test("a Job that goes when it is done is not run again by a correction", () => {
  const plan = planOf({ before: declared, declared, gone, corrects: true });
  expect(planText(plan)).toBe(
    text(`
    create Job shop/stays (app, server)
    create Job shop/suspended (app, server)
    `),
  );
});

test("a deployment runs it again", () => {
  expect(planText(planOf({ before: declared, declared, gone }))).toContain("create Job shop/done");
});
