import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { DeletionHook } from "../../../src/model/plan/deletion.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { currentIfUnchanged } from "../../../src/releases/current-release.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { secretStrings } from "../../../src/releases/queries/hidden-strings.ts";
import { pendingRelease } from "../../../src/releases/record.ts";
import { release } from "../../support/plan/release-from.ts";

const hooks: readonly DeletionHook[] = [
  {
    event: "pre-delete",
    object: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: "shop" },
      stringData: { password: "hunter2-of-the-hook" },
    },
  },
  {
    event: "post-delete",
    object: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a", namespace: "shop" } },
    isRandom: true,
  },
];

/** Returns the recorded release, or undefined if the record is unreadable. */
function recorded(written: unknown): Release | undefined {
  const encoding = {
    namespace: "shop",
    compress: (text: string) => new Uint8Array(gzipSync(text)),
  };
  const whole = { ...release(2, "pending"), deletionHooks: written } as Release;
  const decoded = decodeReleases("shop", encodeRelease(whole, encoding), (bytes) =>
    gunzipSync(bytes).toString(),
  );
  return decoded.ok ? decoded.value.releases[0] : undefined;
}

test("a record returns its hooks of deletions, and a record of an older version has none", () => {
  expect(recorded(hooks)?.deletionHooks).toEqual(hooks);
  expect(recorded(undefined)).toMatchObject({ revision: 2 });
  expect(recorded(undefined)?.deletionHooks).toBeUndefined();
});

test.each([
  ["an unknown event", [{ ...hooks[0], event: "pre-install" }]],
  ["an object that is a string", [{ event: "pre-delete", object: "a" }]],
  ["no list", { 0: hooks[0] }],
])("a record with %s can't be read, so that no deletion leaves a hook out", (_, written) => {
  expect(recorded(written)).toBeUndefined();
});

test("a deployment that changes only hooks of deletions is recorded", () => {
  const newest: Release = { ...release(1, "succeeded"), deletionHooks: hooks };
  const plan = { changes: [], deletions: [], kept: [] } as unknown as Plan;
  const { expandedConfig, source } = newest;
  const history = createReleaseHistory([newest]);
  const same = { plan, expandedConfig, deletionHooks: [...hooks], source };
  expect(currentIfUnchanged(same, history)?.revision).toBe(1);
  expect(currentIfUnchanged({ ...same, deletionHooks: hooks.slice(1) }, history)).toBeUndefined();
});

test("a hook with random values makes no new release", () => {
  const random = (name: string): DeletionHook => ({
    event: "pre-delete",
    object: { apiVersion: "batch/v1", kind: "Job", metadata: { name } },
    isRandom: true,
  });
  const newest: Release = { ...release(1, "succeeded"), deletionHooks: [random("a-1")] };
  const plan = { changes: [], deletions: [], kept: [] } as unknown as Plan;
  const { expandedConfig, source } = newest;
  const history = createReleaseHistory([newest]);
  const planned = { plan, expandedConfig, deletionHooks: [random("a-2")], source };
  expect(currentIfUnchanged(planned, history)?.revision).toBe(1);
});

test("the data of a Secret in a hook is hidden like that of a declared Secret", () => {
  expect(secretStrings({ ...release(1, "succeeded"), deletionHooks: hooks })).toContain(
    "hunter2-of-the-hook",
  );
  const facts = { ...release(1, "succeeded"), deletionHooks: hooks };
  const layout = { ...facts.layout, params: { token: "hunter2-of-the-hook" } };
  const plan = { deployment: "shop", changes: [], deletions: [], kept: [] } as unknown as Plan;
  const pending = pendingRelease(plan, createReleaseHistory([]), { ...facts, layout });
  expect(pending.layout.params).toEqual({ token: "(hidden)" });
});
