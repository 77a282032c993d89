import { expect, test } from "vitest";
import { bytesOfBase64, fromBase64, toBase64 } from "../../../../src/model/text/base64.ts";

test.each([
  ["an empty text", ""],
  ["one letter", "a"],
  ["one letter of two bytes", "ä"],
  ["ASCII", "x".repeat(20_000)],
  ["characters of each length", "\u0000\u0080ÿ€😀".repeat(5_000)],
])("%s is encoded and decoded as Node does it", (_, text) => {
  const encoded = Buffer.from(text).toString("base64");
  expect(toBase64(text)).toBe(encoded);
  expect(fromBase64(encoded)).toBe(text);
  expect(Buffer.from(bytesOfBase64(encoded)).equals(Buffer.from(text))).toBe(true);
});

test.each(["a", "a=", "a===", "Zg", "Z g=", "*AAA"])("%j isn't Base64 of text", (value) => {
  expect(fromBase64(value)).toBeUndefined();
});
