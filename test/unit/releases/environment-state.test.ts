import { expect, test } from "vitest";
import { hasExpired } from "../../../src/model/deployments/environment-state.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { environmentState } from "../../../src/releases/environment-state.ts";

const hourMs = 3_600_000;
const now = "2026-03-01T12:00:00.000Z";

function state(
  of: Partial<Release>,
  ttlMs = 24 * hourMs,
  created?: string,
  earlier?: Partial<Release>,
) {
  const environment = {
    ...{ repository: { path: "acme/shop" }, list: "l", entry: "shop", number: 3 },
    ...{ namespace: "shop-pr-3", ttlMs },
  };
  const base = { deployment: "shop-pr-3", revision: 1, status: "succeeded", environment };
  const manifests = { expandedConfig: [{}], source: { commit: "abc" } };
  const release = { ...base, ...manifests, ...of } as unknown as Release;
  const before = { ...release, ...earlier } as Release;
  const releases = earlier === undefined ? [release] : [release, before];
  const secrets =
    created === undefined
      ? []
      : [
          {
            ...{ apiVersion: "v1", kind: "Secret", type: "vs.axis-dev.io/release.v1" },
            metadata: { name: "qvs.shop-pr-3.v1", creationTimestamp: created },
          },
        ];
  return environmentState({ ...createReleaseHistory(releases), secrets }, now);
}

test.each([
  ["the start of the release", { startedAt: "2026-03-01T00:00:00Z" }, "2026-03-02T00:00:00.000Z"],
  [
    "the last run without changes",
    {
      startedAt: "2026-02-01T00:00:00Z",
      lastSeen: { commit: undefined, actor: undefined, run: undefined, at: "2026-03-01T06:00:00Z" },
    },
    "2026-03-02T06:00:00.000Z",
  ],
  ["no damaged time", { startedAt: "yesterday" }, undefined],
  ["no time in the future", { startedAt: "2099-01-01T00:00:00Z" }, undefined],
])("the lifetime counts from %s", (_, release, expected) => {
  const found = state(release);
  expect(found?.expiresAt).toBe(expected);
});

test("the time of the API server replaces one in the future", () => {
  const found = state({ startedAt: "2099-01-01T00:00:00Z" }, hourMs, "2026-03-01T11:30:00Z");
  expect(found?.expiresAt).toBe("2026-03-01T12:30:00.000Z");
});

test("an environment expires at its end, and never without one", () => {
  const at = (startedAt: string, ttlMs?: number) => {
    const found = state({ startedAt }, ttlMs);
    return found && hasExpired(found, now);
  };
  expect(at("2026-02-28T12:00:00Z")).toBe(true);
  expect(at("2026-02-28T12:00:01Z")).toBe(false);
  expect(at("yesterday")).toBe(false);
  expect(at("2026-02-01T00:00:00Z", Number.POSITIVE_INFINITY)).toBe(false);
});

test("a late clock of the sweep doesn't count from an earlier deployment", () => {
  const earlier = { revision: 0, startedAt: "2026-02-01T00:00:00Z" };
  const found = state(
    { startedAt: "2026-03-01T14:00:00Z" },
    hourMs,
    "2026-03-01T14:00:00Z",
    earlier,
  );
  expect(found && hasExpired(found, now)).toBe(false);
});
