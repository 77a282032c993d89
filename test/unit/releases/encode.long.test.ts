import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Release } from "../../../src/model/deployments/release.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../src/model/deployments/release-history.ts";
import { isObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { ok } from "../../../src/model/problems/problem.ts";
import type { LayoutNode } from "../../../src/model/sources/compilation.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease, encodeReleaseState } from "../../../src/releases/encode.ts";
import { pendingRelease } from "../../../src/releases/record.ts";
import { nextRevision, releaseSelector } from "../../../src/releases/release-names.ts";
import { fc } from "../../support/fast-check.ts";
import { problemText } from "../../support/plan/declare.ts";
import { release } from "../../support/plan/release-from.ts";
import { shopPlan } from "../../support/shop/shop-report.ts";

const encoding = { namespace: "shop", compress: (text: string) => new Uint8Array(gzipSync(text)) };
const decompress = (bytes: Uint8Array) => gunzipSync(bytes).toString();

/** Returns the result of decoding these releases from readable records. */
function readable(releases: readonly Release[]) {
  return ok({ ...createReleaseHistory(releases), unreadable: [] });
}

function decode(secrets: readonly KubeObject[]) {
  return decodeReleases("shop", secrets, decompress);
}

function problemsOf(secrets: readonly KubeObject[]): string {
  const decoded = decode(secrets);
  return decoded.ok ? "no problem" : problemText(decoded.problems);
}

/** Returns a release whose content can't be compressed below the given size. */
function large(revision: number, bytes: number): Release {
  const noise = randomBytes(bytes).toString("base64");
  return {
    ...release(revision, "pending", { names: ["a"] }),
    inputConfig: { config: noise, params: {}, modules: [] },
  };
}

test("a release is one Secret with descriptive labels", () => {
  const [secret, ...others] = encodeRelease(release(2, "pending", { names: ["a"] }), encoding);
  expect(others).toEqual([]);
  expect({ ...secret, data: undefined }).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    type: "vs.axis-dev.io/release.v1",
    metadata: {
      name: "qvs.shop.v2",
      namespace: "shop",
      labels: {
        "app.kubernetes.io/managed-by": "qvs",
        "vs.axis-dev.io/deployment": "shop",
        "vs.axis-dev.io/revision": "2",
        "vs.axis-dev.io/status": "pending",
      },
    },
  });
  expect(releaseSelector("shop")).toBe("vs.axis-dev.io/deployment=shop,vs.axis-dev.io/revision");
});

test("encoded releases are decoded again, newest first", () => {
  const releases = [
    release(1, "succeeded", { names: ["a"] }),
    release(2, "failed", { names: ["b", "c"] }),
  ];
  const secrets = releases.flatMap((one) => encodeRelease(one, encoding));
  expect(decode(secrets)).toEqual(readable(releases));
});

test("a large release is split into Secrets below the size limit, its own Secret last", () => {
  const big = large(3, 1_700_000);
  const secrets = encodeRelease(big, encoding);
  expect(secrets.map(({ metadata }) => metadata.name)).toEqual([
    "qvs.shop.v3.part1",
    "qvs.shop.v3.part2",
    "qvs.shop.v3",
  ]);
  for (const { data } of secrets) {
    const sizes = Object.values(data as JsonObject).map((text) => atob(String(text)).length);
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(1024 * 1024);
  }
  expect(decode(secrets.toReversed())).toEqual(readable([big]));
});

test("the end of a run replaces one Secret only", () => {
  const pending = large(3, 700_000);
  const secrets = encodeRelease(pending, encoding);
  const head = { ...(secrets.at(-1) as KubeObject) };
  const byServer = { uid: "u", resourceVersion: "8", managedFields: [{ manager: "qvs" }] };
  const stored = { ...head, metadata: { ...head.metadata, ...byServer } };
  const finished: Release = {
    ...pending,
    status: "succeeded",
    finishedAt: "2026-01-02T03:05:05.000Z",
  };
  const replaced = encodeReleaseState(finished, stored, encoding);
  expect(replaced.metadata.managedFields).toBeUndefined();
  expect(replaced.metadata).toMatchObject({
    uid: "u",
    resourceVersion: "8",
    labels: { "vs.axis-dev.io/status": "succeeded" },
  });
  expect(decode([...secrets.slice(0, -1), replaced])).toEqual(readable([finished]));
});

test("a release in deletion is ignored, whichever of its parts are already deleted", () => {
  const [, , head] = encodeRelease(large(3, 700_000), encoding);
  const leaving = { ...head, metadata: { ...head?.metadata, deletionTimestamp: "2026-01-01" } };
  const decoded = decode([
    leaving as KubeObject,
    ...encodeRelease(release(2, "succeeded"), encoding),
  ]);
  expect(decoded.ok && decoded.value.releases.map(({ revision }) => revision)).toEqual([2]);
});

test("parts of a run that was killed before its release existed are ignored, and their number isn't used again", () => {
  const orphans = encodeRelease(large(3, 700_000), encoding).slice(0, -1);
  const secrets = [...orphans, ...encodeRelease(release(2, "succeeded"), encoding)];
  const decoded = decode(secrets);
  expect(decoded.ok && decoded.value.releases.map(({ revision }) => revision)).toEqual([2]);
  expect(nextRevision("shop", secrets)).toEqual(ok(4));
  expect(nextRevision("bakery", secrets)).toEqual(ok(1));
});

test("foreign Secrets are ignored, whatever their names", () => {
  const [own] = encodeRelease(release(1, "succeeded"), encoding);
  if (own === undefined) throw new Error("nothing encoded");
  const named = (name: string) => ({ ...own, metadata: { ...own.metadata, name } });
  const others = ["qvs.bakery.v1", "qvs.shop.v01", "qvs.shop.vx", "shop", "qvs.shop.v1.part0"].map(
    named,
  );
  expect(decode([...others, { ...named("qvs.shop.v9"), type: "Opaque" }])).toEqual(readable([]));
});

function withData(secret: KubeObject | undefined, data: JsonObject): KubeObject {
  if (secret === undefined || !isObject(secret.data)) throw new Error("nothing encoded");
  return { ...secret, data: { ...secret.data, ...data } };
}

const packed = (value: Json) => btoa(String.fromCharCode(...gzipSync(JSON.stringify(value))));
const [head] = encodeRelease(release(7, "succeeded", { names: ["a"] }), encoding);

test.each([
  [
    "a newer format is rejected by name",
    { content: packed({ format: 2, deployment: "shop" }) },
    "Release qvs.shop.v7 has a format that this version can't read\n  format: 2\n  → Use the version of qvs that recorded it, or a newer one",
  ],
  [
    "bytes that aren't a release are a problem",
    { state: btoa("not gzip") },
    "Release qvs.shop.v7 can't be read\n  why: It can't be decompressed, or it isn't JSON\n  → Restore the Secret qvs.shop.v7\n    or delete it with its parts if qvs can forget the objects that it deployed",
  ],
  [
    "text that isn't base64 is a problem",
    { content: "%" },
    "Release qvs.shop.v7 can't be read\n  why: The value of data.content isn't Base64\n  → Restore the Secret qvs.shop.v7\n    or delete it with its parts if qvs can forget the objects that it deployed",
  ],
  [
    "a wrong field is named",
    { state: packed({ format: 1, status: "succeeded", inventory: [{ id: 1 }], results: [] }) },
    "Release qvs.shop.v7 can't be read\n  why: The value of inventory.0.id is invalid\n  → Restore the Secret qvs.shop.v7\n    or delete it with its parts if qvs can forget the objects that it deployed",
  ],
  [
    "missing parts are a problem",
    { parts: btoa("2") },
    "Release qvs.shop.v7 can't be read\n  why: The record has 0 of its 2 parts; part 1, part 2 are missing\n  → Restore the Secret qvs.shop.v7\n    or delete it with its parts if qvs can forget the objects that it deployed",
  ],
])("%s", (_name, data, expected) => {
  expect(problemsOf([withData(head, data)])).toBe(expected);
});

test("a record under another name is an error", () => {
  const renamed = { ...(head as KubeObject), metadata: { name: "qvs.shop.v8" } };
  expect(problemsOf([renamed])).toContain("Its content is of release qvs.shop.v7");
});

test("any content of a record is read or rejected", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (content, state) => {
      const data = { content: packed(content as Json), state: packed(state as Json) };
      expect(decode([withData(head, data)]).ok).toBe(false);
    }),
  );
});

test("a layout is recorded with its places, and one without places is read too", () => {
  const plain = release(1, "pending", { names: ["a"] });
  const use = { file: "qvs.yaml", line: 3, column: 5 };
  const placed = { ...plain, layout: { ...plain.layout, column: 16, use } };
  for (const each of [plain, placed]) {
    const decoded = decode(encodeRelease(each, encoding));
    expect(decoded.ok && decoded.value.newest?.layout).toEqual(each.layout);
  }
  const wrong = { ...placed.layout, use: { file: "qvs.yaml" } } as unknown as LayoutNode;
  expect(problemsOf(encodeRelease({ ...plain, layout: wrong }, encoding))).toContain(
    "The value of layout is invalid",
  );
});

test("the sources of parameters aren't recorded", () => {
  const { layout, ...facts } = release(1, "pending", { names: ["a"] });
  const node = { ...layout, sources: { image: { at: undefined, from: ["version"] } } };
  const plan = shopPlan();
  const pending = pendingRelease(plan, emptyHistory, {
    ...facts,
    layout: { ...node, composites: [node] },
  });
  expect(JSON.stringify(pending.layout)).toBe(JSON.stringify({ ...layout, composites: [layout] }));
});
