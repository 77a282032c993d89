import { expect, test, vi } from "vitest";
import { createScrubber } from "../../../src/redaction/scrub.ts";

test.each<[string, readonly string[], string, string]>([
  ["nothing is hidden without texts", [], "any", "any"],
  ["a text within words", ["hunter22"], "xhunter22x", "x(hidden)x"],
  ["a text of less than six characters, only as a word", ["abcd"], "abcd abcde", "(hidden) abcde"],
  ["a text that is a prefix of another one", ["ab"], "say ab", "say (hidden)"],
  ["the longer of two that overlap", ["secret1", "mysecret1"], "mysecret1", "(hidden)"],
  ["the first of two as long", ["abcdefg", "bcdefgh"], "abcdefgh", "(hidden)h"],
  [
    "each of several texts with the same start",
    ["pass-one", "pass-two"],
    "pass-two pass-one",
    "(hidden) (hidden)",
  ],
])("hides %s", (_, texts, message, shown) => {
  expect(createScrubber(texts).hide(message)).toBe(shown);
});

test("a text that is added later is hidden from then on", () => {
  const texts = createScrubber(["first-secret"]);
  texts.add(["second-secret"]);
  expect(texts.hide("first-secret second-secret")).toBe("(hidden) (hidden)");
});

test("a message isn't searched once per text", () => {
  const texts = createScrubber(Array.from({ length: 5_000 }, (_, index) => `${index}-password`));
  const searches = [
    vi.spyOn(String.prototype, "includes"),
    vi.spyOn(String.prototype, "startsWith"),
  ];
  texts.hide("back-off restarting failed container");
  const count = searches.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  vi.restoreAllMocks();
  expect(count).toBe(0);
});
