import { expect, test } from "vitest";
import { exactLine, plainText } from "../../../src/redaction/terminal.ts";
import {
  breakSentence,
  displayWidth,
  dottedLines,
  padColumns,
  wrap,
} from "../../../src/redaction/wrap.ts";
import { fc } from "../../support/fast-check.ts";

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
  expect(wrap(exactLine(text), width)).toEqual(expected);
});

test("no line is too long, and no letter is lost", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", " ", "/", "名", ":", "é"),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (given, width) => {
      const lines = wrap(exactLine(given), width);
      // If a line would begin with a command to a runner, a blank is inserted.
      const fits = (line: string) => displayWidth(line.replace(/^: :/, "::")) <= width;
      expect(lines.every(fits)).toBe(true);
      expect(lines.join("").replaceAll(" ", "")).toBe(given.replaceAll(" ", ""));
    }),
  );
});

test("cells are padded by columns, not by letters", () => {
  expect(["名", "ab", "abcdef"].map((cell) => padColumns(exactLine(cell), 4))).toEqual([
    "名  ",
    "ab  ",
    "abcdef",
  ]);
});

test("a command at the end of a long sentence isn't broken", () => {
  const text = exactLine("  help: or restore it: qvs rollback --deployment shop --to 4");
  expect(breakSentence(text, 40, "      ")).toEqual([
    "  help: or restore it:",
    "      qvs rollback --deployment shop --to 4",
  ]);
  expect(breakSentence(text, 80, "  ")).toEqual([text]);
});

test("parts are joined with dots, and one that doesn't fit starts a line", () => {
  const parts = ["shop release 3 succeeded", "12s", "1 created, 4 unchanged"].map(plainText);
  expect(dottedLines(parts, 80)).toEqual([parts.join(" · ")]);
  expect(dottedLines(parts, 40)).toEqual([
    "shop release 3 succeeded · 12s",
    "  1 created, 4 unchanged",
  ]);
});
