import { expect, test } from "vitest";
import { idOf, type KubeObject, keyOf } from "../../src/model/object.ts";
import { chanceOf } from "./chance.ts";
import { around, divideLosses } from "./figures.ts";
import { contains, flawsOfDeclared, flawsOfPreview, flawsOfStatus, orphansIn } from "./inspect.ts";
import { badVersion, firstVersion, nextVersion, objectsOf } from "./versions.ts";

/** Each rule of the soak's judge must find the defect that it is made for. */
const declared = objectsOf(firstVersion, "shop");
const keys = declared.map((object) => keyOf(idOf(object)));
const live = new Map(declared.map((object) => [keyOf(idOf(object)), object]));
const inventory = keys.map((key, index) => ({ key, id: idOf(declared[index] as KubeObject) }));

test.each([
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: [] }, {}, true],
  [{ a: { b: "" } }, {}, false],
])("%j is declared and %j is live", (wanted, present, result) => {
  expect(contains(present, wanted)).toBe(result);
});

test("a missing object and a changed field are flaws", () => {
  const wrong = new Map(live);
  wrong.delete(keys[0] ?? "");
  const login = keys.find((key) => key.endsWith("/login")) ?? "";
  wrong.set(login, { ...(live.get(login) as KubeObject), data: {} });
  expect(flawsOfDeclared({ live }, declared)).toEqual([]);
  expect(flawsOfDeclared({ live: wrong }, declared)).toEqual([
    `${keys[0]} is missing`,
    `${login} isn't as declared`,
  ]);
});

test("an object of the deployment that isn't declared is an orphan, but not a bystander", () => {
  const ours = [...keys, "core:ConfigMap::shop/old", "core:ConfigMap::shop/other"];
  expect(orphansIn({ ours }, declared, ["core:ConfigMap::shop/other"])).toEqual([
    "core:ConfigMap::shop/old",
  ]);
});

test("a preview that omits a change or deletes a bystander is a flaw", () => {
  const seen = {
    live,
    ours: keys,
    objects: "",
    holder: "",
    leaks: [],
    releases: [{ inventory }],
  } as unknown as Parameters<typeof flawsOfPreview>[1];
  const next = objectsOf({ ...firstVersion, name: "next", extras: [1] }, "shop");
  const leaving = keys.filter((key) => !next.some((object) => keyOf(idOf(object)) === key));
  const right = {
    problems: [],
    changes: next.map((object) => {
      const key = keyOf(idOf(object));
      return { key, action: live.has(key) ? "unchanged" : "create" };
    }),
    deletions: leaving.map((key) => ({ key })),
    kept: [],
  };
  expect(leaving).toHaveLength(3);
  expect(flawsOfPreview(right, seen, next)).toEqual([]);
  const deletions = [{ key: "core:ConfigMap::shop/bystander" }, ...right.deletions.slice(1)];
  expect(flawsOfPreview({ ...right, changes: [], deletions }, seen, next)).toHaveLength(
    next.length + 2,
  );
});

test("a status that shows a missing object, or omits one, is a flaw", () => {
  const state = { live, releases: [{ inventory }] } as unknown as Parameters<
    typeof flawsOfStatus
  >[1];
  const instances = keys.map((object) => ({ object, state: "ready", release: 1 }));
  const never = { object: "core:ConfigMap::shop/never", state: "missing", release: null };
  expect(flawsOfStatus({ isHealthy: true, instances: [...instances, never] }, state)).toEqual([]);
  const gone = { object: "core:ConfigMap::shop/gone", state: "ready", release: 1 };
  const wrong = { isHealthy: true, instances: [...instances.slice(1), gone] };
  expect(flawsOfStatus(wrong, state)).toEqual([
    "status shows core:ConfigMap::shop/gone as ready",
    `status omits ${keys[0]}`,
    "status shows a deployment without an object as healthy",
  ]);
});

test("the same seed draws the same versions", () => {
  const draw = (seed: number) => {
    const chance = chanceOf(seed, "steps");
    const versions = [nextVersion(firstVersion, 1, chance)];
    for (let number = 2; number < 30; number += 1)
      versions.push(nextVersion(versions.at(-1) ?? firstVersion, number, chance));
    return [...versions, badVersion(firstVersion, 30, chance)];
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test("a lost request counts separately while the control plane is interrupted", () => {
  const startedAt = Date.parse("2026-03-01T23:59:00Z");
  const interruptions = [{ from: startedAt + 90_000, to: startedAt + 95_000 }];
  const log = "23:59:10.000 timeout after 5s\n00:00:31.000 connection refused after 1ms\n";
  expect(divideLosses(log, { interruptions }, startedAt)).toEqual({
    outside: ["23:59:10.000 timeout after 5s"],
    during: ["00:00:31.000 connection refused after 1ms"],
  });
});

test("medians around a part of the samples", () => {
  const samples = Array.from({ length: 100 }, (_, index) => ({
    at: index,
    residentMb: index,
    handles: 20,
  }));
  expect(around(samples, 0.1)).toEqual({ residentMb: 5, handles: 20 });
  expect(around(samples, 1)).toEqual({ residentMb: 95, handles: 20 });
});
