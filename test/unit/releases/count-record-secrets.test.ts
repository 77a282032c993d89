import { expect, test } from "vitest";
import { countRecordSecrets } from "../../../src/releases/encode.ts";

const manifests = (bytes: number) =>
  [{ stage: "app", resource: "a", object: { text: "x".repeat(bytes) } }] as unknown as Parameters<
    typeof countRecordSecrets
  >[0];
const asIs = (text: string) => new TextEncoder().encode(text);

test.each([
  [10, 1],
  [590_000, 1],
  [1_000_000, 2],
  [2_400_000, 3],
])("incompressible manifests of %d bytes need %d Secrets", (bytes, secrets) => {
  expect(countRecordSecrets(manifests(bytes), asIs)).toBe(secrets);
});

test("large manifests that compress well need one Secret", () => {
  expect(countRecordSecrets(manifests(5_000_000), () => new Uint8Array(9))).toBe(1);
});
