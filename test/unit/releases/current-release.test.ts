import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Release, ReleaseSource } from "../../../src/model/deployments/release.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../src/model/deployments/release-history.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import {
  currentIfOnlyDeletions,
  currentIfUnchanged,
  deployedCommit,
  releasesToFollow,
  withLastSeen,
} from "../../../src/releases/current-release.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { release } from "../../support/plan/release-from.ts";

const newest = release(2, "succeeded", { names: ["a"] });
const source: ReleaseSource = { commit: "newer", actor: undefined, run: undefined };

/** Returns a plan in which the ConfigMap of the newest release is unchanged. */
function unchanged(changes: Partial<Plan> = {}): Plan {
  const [entry] = newest.inventory;
  const [manifest] = newest.expandedConfig;
  if (entry === undefined || manifest === undefined) throw new Error("it declares one");
  const change = {
    key: "core:ConfigMap::shop/a",
    id: entry.id,
    stage: entry.stage,
    action: "unchanged",
    desired: manifest.object,
    after: entry.after,
  };
  return { changes: [change], deletions: [], kept: [], ...changes } as unknown as Plan;
}

const other = release(1, "succeeded", { names: ["b"] }).expandedConfig;
const { expandedConfig } = newest;

test.each<
  [string, Plan, Partial<Release>, Parameters<typeof currentIfUnchanged>[0]["expandedConfig"]]
>([
  ["nothing differs", unchanged(), {}, expandedConfig],
  ["not: it has failed", unchanged(), { status: "failed" }, expandedConfig],
  ["not: it never ended", unchanged(), { status: "pending" }, expandedConfig],
  ["not: it was of one stage only", unchanged(), { onlyStage: "app" }, expandedConfig],
  ["not: it declares another object", unchanged(), {}, other],
  ["not: its inventory has more objects", unchanged(), { inventory: [] }, expandedConfig],
  [
    "not: an object is updated",
    unchanged({ changes: unchanged().changes.map((one) => ({ ...one, action: "update" })) }),
    {},
    expandedConfig,
  ],
])("a release stays current if %s", (name, plan, changes, declared) => {
  const releases = [{ ...newest, ...changes }, release(1, "succeeded")];
  const running = currentIfUnchanged(
    { plan, expandedConfig: declared, source },
    createReleaseHistory(releases),
  );
  expect(running?.revision).toBe(name.startsWith("not: ") ? undefined : 2);
});

test("a release with postponed deletions stays current until the objects are deleted", () => {
  const left = release(1, "succeeded", { names: ["b"] }).inventory;
  const [{ id, stage } = fail()] = left;
  const deletions = [{ key: "core:ConfigMap::shop/b", id, stage, after: [] }];
  const plan = { ...unchanged(), deletions } as unknown as Plan;
  const releases = [{ ...newest, inventory: [...newest.inventory, ...left] }];
  const planned = { plan, expandedConfig, source };
  expect(currentIfUnchanged(planned, createReleaseHistory(releases))).toBe(undefined);
  expect(currentIfOnlyDeletions(planned, createReleaseHistory(releases))?.revision).toBe(2);
  const changes = plan.changes.map((one) => ({ ...one, action: "update" as const }));
  expect(
    currentIfOnlyDeletions(
      { ...planned, plan: { ...plan, changes } },
      createReleaseHistory(releases),
    ),
  ).toBe(undefined);
  expect(
    currentIfOnlyDeletions({ ...planned, expandedConfig: other }, createReleaseHistory(releases)),
  ).toBe(undefined);
});

function fail(): never {
  throw new Error("it declares one");
}

test.each([
  ["from another config", "y", undefined],
  ["from a deployment of which only the name is known", undefined, 2],
])("a release of the config x, %s", (_, config, expected) => {
  const releases = [{ ...newest, source: { ...source, config: "x" } }];
  const { expandedConfig } = newest;
  const here = { ...source, config };
  const running = currentIfUnchanged(
    { plan: unchanged(), expandedConfig, source: here },
    createReleaseHistory(releases),
  );
  expect(running?.revision).toBe(expected);
});

test("a release of one stage stays current if that stage is deployed again", () => {
  const plan = unchanged({ onlyStage: "app" });
  const releases = [{ ...newest, onlyStage: "app" as const }];
  expect(
    currentIfUnchanged({ plan, expandedConfig, source }, createReleaseHistory(releases))?.revision,
  ).toBe(2);
});

test("the current commit is that of the last run without changes", () => {
  const lastSeen = { commit: "d", actor: undefined, run: undefined, at: "2026-01-02" };
  expect(deployedCommit(newest).commit).toBe("c0ffee");
  expect(deployedCommit({ ...newest, lastSeen }).commit).toBe("d");
});

test("a rollback keeps the commit that was deployed before it", () => {
  const back = { ...release(3, "succeeded", { names: ["b"] }), rollbackOf: 1 };
  const followed = releasesToFollow(createReleaseHistory([back, newest, release(1, "succeeded")]));
  expect(followed.map(({ revision }) => revision)).toEqual([3, 2]);
  expect(releasesToFollow(emptyHistory)).toEqual([]);
});

const seenAt = (at: string) => ({ commit: "newer", actor: undefined, run: undefined, at });

test.each<[string, Release["lastSeen"], object]>([
  ["the first run", undefined, { runs: 1 }],
  ["another run", { ...seenAt("1"), runs: 9 }, { runs: 10 }],
  ["a run after one that didn't count", seenAt("1"), { runs: 2, orMore: true }],
  ["another run after that", { ...seenAt("1"), runs: 2, orMore: true }, { runs: 3, orMore: true }],
  [
    "never more than a number can hold",
    { ...seenAt("1"), runs: 999_999_999 },
    { runs: 999_999_999 },
  ],
])("runs without changes are counted: %s", (_, lastSeen, expected) => {
  expect(withLastSeen({ ...newest, lastSeen }, source, "2").lastSeen).toEqual({
    ...seenAt("2"),
    ...expected,
  });
});

const unpack = (bytes: Uint8Array) => gunzipSync(bytes).toString("utf8");

test.each<[string, object]>([
  ["a count", { ...seenAt("1"), runs: 3 }],
  ["a minimum count", { ...seenAt("1"), runs: 3, orMore: true }],
  ["no count, as earlier versions wrote it", seenAt("1")],
])("the record of a run without changes keeps %s", (_, lastSeen) => {
  const seen = { ...newest, lastSeen } as Release;
  const secrets = encodeRelease(seen, { namespace: "shop", compress: (text) => gzipSync(text) });
  const decoded = decodeReleases("shop", secrets, unpack);
  expect(decoded.ok && decoded.value.newest?.lastSeen).toEqual(lastSeen);
});
