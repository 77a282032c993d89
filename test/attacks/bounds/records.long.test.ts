import { expect } from "vitest";
import { releaseSecretType } from "../../../src/model/deployments/release.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { attacks } from "../attack.ts";

const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
const large = JSON.stringify({ a: "a".repeat(16 << 20) });

/** Secrets that an attacker has added to the releases. */
const inputs = [
  {
    name: "a record of 100,000 levels",
    records: 1,
    content: deep,
    says: "It nests deeper than 250 levels",
    unpacked: deep.length,
  },
  {
    name: "a hundred records of 16 MiB each after decompression",
    records: 100,
    content: large,
    says: "It and the newer releases unpack to more than 512 MiB",
    unpacked: 32 * large.length,
  },
];

attacks("bounds", "$name", inputs, ({ records, content, says, unpacked }) => {
  const secrets = Array.from({ length: records }, (_, i) => record(i + 1, btoa("packed")));
  let seen = 0;
  const decoded = decodeReleases("shop", secrets, () => {
    seen += content.length;
    return content;
  });
  expect(decoded.ok ? "it was believed" : decoded.problems.at(-1)).toMatchObject({
    what: "Release qvs.shop.v1 can't be read",
    why: says,
  });
  expect(seen).toBeLessThanOrEqual(unpacked);
});

function record(revision: number, content: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: releaseSecretType,
    metadata: { name: `qvs.shop.v${revision}`, namespace: "shop" },
    data: { parts: btoa("0"), content, state: content },
  };
}
