import { expect, test } from "vitest";
import {
  canRunLastHooks,
  haveCompleted,
  planHookDeletions,
} from "../../../src/apply/apply-plan.ts";
import { createLedger } from "../../../src/apply/ledger.ts";
import type { ApplyRun } from "../../../src/apply/run.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { DeletionEvent } from "../../../src/model/plan/deletion.ts";
import type { Change } from "../../../src/model/plan/plan.ts";

function job(name: string, more: JsonObject = {}): KubeObject {
  const metadata = { name, namespace: "shop", uid: `uid-${name}` };
  return { apiVersion: "batch/v1", kind: "Job", metadata, ...more };
}

const ended = (type: string): JsonObject => ({
  status: { conditions: [{ type, status: "True" }] },
});

function hook(live: KubeObject, event: DeletionEvent = "pre-delete"): Change {
  return { key: keyOf(idOf(live)), id: idOf(live), hook: { event }, live } as unknown as Change;
}

/** A run of a plan, with only the parts that hooks use. */
function runOf(changes: readonly Change[], deletions: readonly string[] = []): ApplyRun {
  const scrub = (text: string) => text;
  return {
    plan: { changes, deletions: deletions.map((key) => ({ key })), kept: [] },
    ledger: createLedger({ scrub, add: () => undefined } as never),
    ...{ secrets: { scrub }, cancellation: { fail: () => undefined } },
    world: { progress: { report: () => undefined } },
  } as unknown as ApplyRun;
}

test.each<[string, KubeObject, boolean]>([
  ["completed", job("a", ended("Complete")), true],
  ["is suspended", job("a", { spec: { suspend: true } }), false],
  ["has failed", job("a", ended("Failed")), false],
  ["still runs", job("a"), false],
])("a deletion continues only after each hook has completed: one that %s", (_, live, expected) => {
  const changes = [hook(live)];
  const run = runOf(changes);
  expect(haveCompleted(run, changes)).toBe(expected);
  expect(run.ledger.failedNames()).toEqual(expected ? [] : ["Job shop/a"]);
});

test.each([
  ["deleted", true],
  ["kept", false],
] as const)(
  "hooks after the deletions run only if every object is deleted: %s",
  (outcome, expected) => {
    const key = "core:ConfigMap::shop/settings";
    const run = runOf([hook(job("last"), "post-delete")], [key]);
    run.ledger.record(key, outcome, "");
    expect(canRunLastHooks(run)).toBe(expected);
    expect(run.ledger.failedNames()).toEqual(expected ? [] : ["Job shop/last"]);
  },
);

test("qvs deletes its hooks in reverse order, and no object that another client created", () => {
  const [first, foreign, last] = [job("first"), job("foreign"), job("last")].map((live) =>
    hook(live),
  ) as [Change, Change, Change];
  const run = runOf([first, foreign, last]);
  run.ledger.markPreExisting(foreign.key);
  for (const { key } of [first, foreign, last]) run.ledger.record(key, "created", "");
  expect(planHookDeletions(run)?.deletions.map(({ uid }) => uid)).toEqual([
    "uid-last",
    "uid-first",
  ]);
});
