import { expect, test } from "vitest";
import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import { idOf, isKubeObject, type KubeObject, keyOf } from "../../../src/model/object.ts";
import { toReleased } from "../../../src/plan/declared/declare-objects.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { declare, text } from "../../support/plan/declare.ts";
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
const absent = ["done", "suspended", "cleaned-up"].map(key);

test("a correction doesn't run an absent Job again, because it has completed", () => {
  const plan = planOf({ before: declared, declared, gone: absent, corrects: true });
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
  expect(planText(planOf({ before: declared, declared, gone: absent }))).toContain(
    "create Job shop/done",
  );
});

const once = (spec: string) =>
  `app/seed: {apiVersion: batch/v1, kind: Job, metadata: {name: seed, annotations: {vs.axis-dev.io/run-once: "true"}}, spec: {${spec}}}\n`;

const second = "template: {spec: {containers: [{name: seed, image: seed:2}]}}";

test.each([
  { name: "the same content", declares: "backoffLimit: 1, ttlSecondsAfterFinished: 60" },
  { name: "another TTL", declares: "backoffLimit: 1, ttlSecondsAfterFinished: 90" },
  { name: "no TTL", declares: "backoffLimit: 1" },
  { name: "other content", declares: second, runs: true },
  { name: "other content in a rollback", declares: second, goesBack: true },
  {
    name: "no release in which it completed",
    declares: "backoffLimit: 1",
    never: true,
    runs: true,
  },
])("a Job that runs once per content and is absent: $name", (situation) => {
  const { declares, runs = false, goesBack = false, never = false } = situation;
  const before = once("backoffLimit: 1, ttlSecondsAfterFinished: 60");
  const completed = [...appliedFrom(before)];
  const history = {
    ...objectHistory(emptyHistory),
    completedJobs: new Map(never ? [] : completed),
  };
  const plan = planOf({ before, declared: once(declares), gone: [key("seed")], history, goesBack });
  // The cluster deletes a Job with a TTL, so its absence needs no notice.
  const notice = declares.includes("ttl") ? "" : "notice: Job shop/seed no longer exists";
  expect(planText(plan)).toBe(runs ? "create Job shop/seed (app, server)" : notice);
});

test("qvs compares a recorded Job with the references as written", () => {
  const declared = `
app/s: {apiVersion: v1, kind: Service, metadata: {name: s}}
app/seed: {apiVersion: batch/v1, kind: Job, metadata: {name: seed, annotations: {vs.axis-dev.io/run-once: "true"}}, spec: {template: {spec: {containers: [{name: seed, image: "$(ref.s.spec.clusterIP)"}]}}}, dependsOn: [s]}`;
  const recorded = toReleased(declare(declared)).flatMap(({ object }) =>
    isKubeObject(object) ? [[keyOf(idOf(object)), object] as const] : [],
  );
  const history = { ...objectHistory(emptyHistory), completedJobs: new Map(recorded) };
  const absent = [key("seed")];
  expect(planText(planOf({ before: declared, declared, gone: absent, history }))).toContain(
    "notice: Job shop/seed no longer exists",
  );
});
