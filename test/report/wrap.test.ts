import fc from "fast-check";
import { expect, test } from "vitest";
import { padTo, widthOf, wrap } from "../../src/report/wrap.ts";

test.each([
  ["", 10, []],
  ["one two three", 7, ["one two", "three"]],
  ["one", 3, ["one"]],
  ["adapters/web/frontend", 13, ["adapters/web/", "frontend"]],
  ["abcdefgh", 3, ["abc", "def", "gh"]],
  ["a abcdefgh", 4, ["a", "abcd", "efgh"]],
  ["アプリの名前", 6, ["アプリ", "の名前"]],
  ["name アプリ名", 8, ["name ア", "プリ名"]],
])("%j in %i columns", (text, width, expected) => {
  expect(wrap(text, width)).toEqual(expected);
});

test("no line is too long, and no letter is lost", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", " ", "/", "名", ":", "é"),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (given, width) => {
      const lines = wrap(given, width);
      expect(lines.every((line) => widthOf(line) <= width)).toBe(true);
      expect(lines.join("").replaceAll(" ", "")).toBe(given.replaceAll(" ", ""));
    }),
  );
});

test("cells are padded by columns, not by letters", () => {
  expect([padTo("名", 4), padTo("ab", 4), padTo("abcdef", 4)]).toEqual(["名  ", "ab  ", "abcdef"]);
});
