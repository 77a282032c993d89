import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { pruneReleases } from "../../../src/releases/store.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";
import { release } from "../../support/plan/release-from.ts";

/** Records of the revisions 1 to 11, each with a head and one part. */
const recordsInParts: readonly KubeObject[] = Array.from({ length: 11 }, (_, index) =>
  secretsOf(index + 1),
).flat();

function secretsOf(revision: number): readonly KubeObject[] {
  const large = () => new Uint8Array(700 * 1024);
  let texts = 0;
  // Only the content, which is first, is too large for one Secret.
  const compress = (text: string) => (texts++ === 0 ? large() : gzipSync(text));
  return encodeRelease(release(revision, "succeeded"), { namespace: "shop", compress });
}

const earlier = Array.from({ length: 11 }, (_, index) => release(index + 1, "succeeded"));
const current = release(12, "succeeded");

async function prune(secrets: readonly KubeObject[], refuse: readonly string[] = []) {
  const fake = fakeCluster(secrets);
  for (const name of refuse) {
    const answer = refused("forbidden", 403, "no");
    if (!answer.ok) fake.refuse(`Secret shop/${name}`, answer.failure);
  }
  const listed = await fake.list("v1", "Secret", "shop");
  const items = listed.ok ? listed.value.items : [];
  const history = createReleaseHistory(earlier);
  const recorded = { ...history, next: 12, secrets: items, unreadable: [] };
  await pruneReleases(fake, recorded, current, { keys: [] });
  return fake.writes;
}

test("the head Secrets of old releases are deleted before their parts", async () => {
  expect(await prune(recordsInParts)).toEqual([
    "delete Secret shop/qvs.shop.v1",
    "delete Secret shop/qvs.shop.v2",
    "delete Secret shop/qvs.shop.v1.part1",
    "delete Secret shop/qvs.shop.v2.part1",
  ]);
});

test("parts are kept as long as their release", async () => {
  expect(await prune(recordsInParts, ["qvs.shop.v1"])).toEqual([
    "delete Secret shop/qvs.shop.v1",
    "delete Secret shop/qvs.shop.v2",
    "delete Secret shop/qvs.shop.v2.part1",
  ]);
});

test("parts of a release in deletion are deleted", async () => {
  const [part, head] = secretsOf(11);
  if (head === undefined || part === undefined) throw new Error("there are two Secrets");
  const leaving = { ...head, metadata: { ...head.metadata, deletionTimestamp: "2026-01-01" } };
  expect(await prune([part, leaving])).toEqual(["delete Secret shop/qvs.shop.v11.part1"]);
});

test("parts of a killed run are deleted, and foreign ones are kept", async () => {
  const [part] = secretsOf(11);
  const orphan = renamed(part, "qvs.shop.v10.part1");
  const foreign = renamed(part, "qvs.other.v3.part1");
  const lookalike = { ...renamed(part, "qvs.shop.v9.part1"), type: "Opaque" };
  expect(await prune([orphan, foreign, lookalike])).toEqual([
    "delete Secret shop/qvs.shop.v10.part1",
  ]);
});

function renamed(secret: KubeObject | undefined, name: string): KubeObject {
  if (secret === undefined) throw new Error("there is no part");
  return { ...secret, metadata: { ...secret.metadata, name } };
}
