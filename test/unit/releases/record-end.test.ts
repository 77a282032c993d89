import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ApiResult } from "../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { encodeRelease, encodeReleaseState } from "../../../src/releases/encode.ts";
import { recordEnd } from "../../../src/releases/store.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";
import { release } from "../../support/plan/release-from.ts";

const compress = (text: string) => new Uint8Array(gzipSync(text));
const encoding = { namespace: "shop", compress };
const key = "core:Secret::shop/qvs.shop.v1";

/**
 * Ends a pending record that changes just before the end of the run, in a cluster that requires the
 * current version.
 */
async function endAfter(change: (head: KubeObject) => KubeObject) {
  const [secret] = encodeRelease(release(1, "pending"), encoding);
  const fake = fakeCluster(secret === undefined ? [] : [secret]);
  const head = fake.get(key);
  if (head === undefined) throw new Error("there is no record");
  fake.put(change(head));
  const replace = async (object: KubeObject): Promise<ApiResult<KubeObject>> =>
    object.metadata.resourceVersion === fake.get(key)?.metadata.resourceVersion
      ? fake.replace(object)
      : refused("conflict", 409, "the object has been modified");
  await recordEnd({ ...fake, replace }, release(1, "succeeded"), head, { compress });
  return fake.get(key)?.metadata;
}

test("qvs ends a record that another tool has annotated and keeps the annotation", async () => {
  const annotated = await endAfter((head) => {
    return { ...head, metadata: { ...head.metadata, annotations: { backup: "done" } } };
  });
  expect(annotated).toMatchObject({
    annotations: { backup: "done" },
    labels: { "vs.axis-dev.io/status": "succeeded" },
  });
});

test("qvs doesn't change a record that another run has ended", async () => {
  const ended = (head: KubeObject) => encodeReleaseState(release(1, "failed"), head, encoding);
  await expect(endAfter(ended)).rejects.toThrow("qvs can't record the end of release 1");
});
