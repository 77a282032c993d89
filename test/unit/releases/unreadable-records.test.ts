import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ReleaseStatus } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { currentIfUnchanged } from "../../../src/releases/current-release.ts";
import { decodeReadable, decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { liveInventory } from "../../../src/releases/inventory.ts";
import {
  deletionDelayReason,
  requireReadable,
  unreadableNotices,
} from "../../../src/releases/unreadable-records.ts";
import { release } from "../../support/plan/release-from.ts";

/** Tests unreadable records (docs/concepts/releases.md#unreadable-records). */
const encoding = { namespace: "shop", compress: (text: string) => new Uint8Array(gzipSync(text)) };
const decompress = (bytes: Uint8Array) => gunzipSync(bytes).toString();

const read = (secrets: readonly KubeObject[]) => {
  const decoded = decodeReadable("shop", secrets, decompress);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problems));
  return decoded.value;
};

function withData(secret: KubeObject, data: JsonObject): KubeObject {
  return { ...secret, data: { ...(secret.data as JsonObject), ...data } };
}

/** Returns the Secrets of lines such as `1 succeeded` or `2 failed broken`. */
function secretsOf(...lines: readonly string[]): readonly KubeObject[] {
  return lines.flatMap((line) => {
    const [revision, status, broken] = line.split(" ");
    const one = release(Number(revision), status as ReleaseStatus, { names: [`a${revision}`] });
    const secrets = encodeRelease(one, encoding);
    return broken === undefined
      ? secrets
      : secrets.map((secret) => withData(secret, { content: btoa("no gzip") }));
  });
}

const cases = [
  { records: ["1 succeeded broken", "2 succeeded"], lost: undefined, previous: true },
  { records: ["1 succeeded", "2 succeeded broken"], lost: 2, previous: false },
  { records: ["1 succeeded", "2 failed broken", "3 failed"], lost: 2, previous: true },
  { records: ["1 succeeded", "2 failed broken", "3 succeeded"], lost: undefined, previous: true },
  { records: ["1 succeeded broken"], lost: 1, previous: false },
  { records: ["1 succeeded", "2 succeeded"], lost: undefined, previous: true },
] as const;

test.each(cases)("$records: release $lost is lost", ({ records, lost, previous }) => {
  const { releases, unreadable } = read(secretsOf(...records));
  const why = deletionDelayReason(unreadable, createReleaseHistory(releases));
  expect(why?.includes(`release ${lost} can't be read`) ?? false).toBe(lost !== undefined);
  expect(requireReadable("previous", unreadable, createReleaseHistory(releases)).ok).toBe(previous);
  const notices = unreadableNotices(unreadable, createReleaseHistory(releases), "shop").map(
    ({ why }) => why,
  );
  expect(notices).toHaveLength(unreadable.length);
  const expected =
    lost === undefined ? "Newer releases list its objects" : "qvs deletes nothing in this run";
  for (const notice of notices) expect(notice).toContain(expected);
});

test("an unreadable release is rejected by name, and qvs can roll back to the others", () => {
  const { releases, unreadable } = read(secretsOf("1 succeeded", "2 succeeded broken", "3 failed"));
  const refused = requireReadable(2, unreadable, createReleaseHistory(releases));
  expect(refused.ok ? undefined : refused.problems[0]).toMatchObject({
    what: "Release qvs.shop.v2 can't be read",
    why: "qvs.shop.v2 doesn't contain the recorded data",
  });
  expect(requireReadable(1, unreadable, createReleaseHistory(releases)).ok).toBe(true);
  expect(liveInventory(createReleaseHistory(releases)).map(({ id }) => id.name)).toEqual([
    "a1",
    "a3",
  ]);
});

test("an unchanged run still creates a release if the newest one is unreadable", () => {
  const { releases, unreadable } = read(secretsOf("1 succeeded", "2 succeeded broken"));
  const [newest] = releases;
  if (newest === undefined) throw new Error("nothing was read");
  const plan = { deployment: "shop", namespace: "shop", changes: [], deletions: [], kept: [] };
  const planned = {
    plan: plan as never,
    expandedConfig: newest.expandedConfig,
    source: newest.source,
  };
  const same = { ...newest, inventory: [] };
  expect(currentIfUnchanged(planned, createReleaseHistory([same]))?.revision).toBe(1);
  expect(currentIfUnchanged(planned, createReleaseHistory([same]), unreadable)).toBeUndefined();
});

test("a record of a newer version is rejected, even next to damaged ones", () => {
  const [head] = encodeRelease(release(2, "succeeded"), encoding);
  if (head === undefined) throw new Error("nothing encoded");
  const newer = btoa(String.fromCharCode(...gzipSync(JSON.stringify({ format: 2 }))));
  const secrets = [withData(head, { content: newer }), ...secretsOf("1 succeeded broken")];
  const decoded = decodeReadable("shop", secrets, decompress);
  expect(decoded.ok ? [] : decoded.problems).toMatchObject([
    {
      what: "Release qvs.shop.v2 has a format that this version can't read",
      facts: [{ label: "format", value: "2" }],
    },
  ]);
});

test("a record as version 0.1.0 wrote it is readable", () => {
  const text = readFileSync(join(import.meta.dirname, "recorded/0.1.0.json"), "utf8");
  const decoded = decodeReleases("shop", JSON.parse(text) as readonly KubeObject[], decompress);
  expect(decoded.ok && JSON.parse(JSON.stringify(decoded.value.releases))).toEqual([
    {
      format: 1,
      deployment: "shop",
      revision: 3,
      rollbackOf: 1,
      status: "succeeded",
      inputConfig: {
        config: "designPatterns: []\n",
        params: { greeting: "Hi" },
        modules: [{ name: "acme.example/adapters", commit: "c0ffee" }],
      },
      expandedConfig: [
        {
          stage: "app",
          resource: "settings",
          object: {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "settings", namespace: "shop" },
            data: { greeting: "Hi" },
          },
          dependsOn: [],
        },
      ],
      layout: {
        pattern: "acme.example/adapters/web",
        name: "web",
        file: "qvs.yaml",
        line: 3,
        params: {},
        resources: ["app/settings"],
        composites: [],
      },
      source: { commit: "c0ffee", actor: "ann" },
      startedAt: "2026-01-02T03:04:05.000Z",
      finishedAt: "2026-01-02T03:05:05.000Z",
      inventory: [
        {
          id: { group: "", kind: "ConfigMap", namespace: "shop", name: "settings" },
          apiVersion: "v1",
          stage: "app",
          after: [],
        },
      ],
      results: [{ key: "core:ConfigMap::shop/settings", outcome: "created", detail: "" }],
    },
  ]);
});

test("the inventory contains all declared objects, even if the states of two records were swapped", () => {
  const heads = [
    ["a", "b"],
    ["a", "c"],
  ].flatMap((names, index) => encodeRelease(release(index + 1, "succeeded", { names }), encoding));
  const states = heads.map(({ data }) => (data as JsonObject).state as string).toReversed();
  const swapped = heads.map((head, index) => withData(head, { state: states[index] ?? "" }));
  const { releases } = read(swapped);
  expect(liveInventory(createReleaseHistory(releases)).map(({ id }) => id.name)).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(liveInventory(createReleaseHistory(releases))[2]).toMatchObject({
    apiVersion: "v1",
    stage: "app",
    after: [],
  });
});

test.each(["..", "a%2fb", "../../kube-system"])(
  "a forged manifest named %s in a record isn't in the inventory",
  (name) => {
    const forged = release(1, "succeeded", { names: ["a", name], inventory: ["a"] });
    const { releases } = read(encodeRelease(forged, encoding));
    expect(liveInventory(createReleaseHistory(releases)).map(({ id }) => id.name)).toEqual(["a"]);
  },
);
