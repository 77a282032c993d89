import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Release } from "../../../src/model/deployments/release.ts";
import { at, type JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { decodeReadable } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { release } from "../../support/plan/release-from.ts";

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

/** Returns 5,000 objects whose content compresses badly. */
function large(): Release {
  const names = Array.from({ length: 5_000 }, (_, index) => `object-${index}`);
  const one = release(4, "succeeded", { names });
  let seed = 1;
  const noise = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed.toString(36);
  };
  const expandedConfig = one.expandedConfig.map((manifest) => ({
    ...manifest,
    object: { ...manifest.object, data: { x: Array.from({ length: 120 }, noise).join("") } },
  }));
  return { ...one, expandedConfig };
}

test("5,000 objects are recorded in parts and read identically, and a missing or exchanged part is reported by name", () => {
  const one = large();
  const secrets = encodeRelease(one, encoding);
  const names = secrets.map(({ metadata }) => metadata.name);
  expect(names).toEqual(["qvs.shop.v4.part1", "qvs.shop.v4.part2", "qvs.shop.v4"]);
  expect(read(secrets.toReversed()).releases).toEqual([one]);

  const what = (given: readonly (KubeObject | undefined)[]) =>
    read(given.filter((each) => each !== undefined)).unreadable.map(
      ({ problem }) => `${problem.what}: ${problem.why}`,
    );
  const [first, second, head] = secrets;
  expect(what([first, head])).toEqual([
    "Release qvs.shop.v4 can't be read: The record has 1 of its 2 parts; part 2 is missing",
  ]);
  const exchanged = [first, second].map(
    (part, index) =>
      part && withData(part, { content: at(secrets[1 - index], "data", "content") ?? "" }),
  );
  expect(what([...exchanged, head])).toEqual([
    "Release qvs.shop.v4 can't be read: qvs.shop.v4.part1, qvs.shop.v4.part2 don't contain the recorded data",
  ]);
  const truncated = second && withData(second, { content: btoa("") });
  expect(what([first, truncated, head])).toEqual([
    "Release qvs.shop.v4 can't be read: qvs.shop.v4.part2 doesn't contain the recorded data",
  ]);
});
