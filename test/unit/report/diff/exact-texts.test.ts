import { expect, test } from "vitest";
import { diffTextLines, diffValues } from "../../../../src/report/diff/text-diff.ts";

/** Returns the lines of the diff of a ConfigMap's text. */
function check(before: string, after: string): readonly string[] {
  return diffTextLines(diffValues({ text: before }, { text: after })).map((line) => line.trimEnd());
}

const yaml: readonly (readonly [name: string, before: string, after: string])[] = [
  ["a version loses its zero", "tag: 1.10", "tag: 1.1"],
  ["an octal mode becomes a decimal one", "mode: 0644", "mode: 644"],
  ["an octal mode in the new notation", "mode: 0o644", "mode: 420"],
  ["an id of 19 digits", "id: 1098765432109876543", "id: 1098765432109876544"],
  ["a hexadecimal number", "color: 0x10", "color: 16"],
  ["an exponent", "size: 1e3", "size: 1000"],
  ["a sign", "offset: +5", "offset: 5"],
  ["a number that only some parsers read as a string", "zip: 0123", 'zip: "0123"'],
  ["a word that some parsers read as a boolean", "flag: on", 'flag: "on"'],
  ["a country that some parsers read as a boolean", "land: no", 'land: "no"'],
  ["another spelling of a boolean", "flag: True", "flag: true"],
  ["a time in base 60", "at: 22:22", 'at: "22:22"'],
  ["a number in a list", "tags: [1.10, 2]", "tags: [1.1, 2]"],
  ["a nested number", "a:\n  b:\n    - v: 1.20", "a:\n  b:\n    - v: 1.2"],
  ["a key that is a number", "1.10: x", "1.1: x"],
  ["a key that some parsers read as a boolean", "on: x", '"on": x'],
  ["not a number", "ratio: .NaN", "ratio: .nan"],
  ["underscores", "count: 1_000", "count: 1000"],
];

test.each(yaml)("in YAML, %s: shown when something else changes too", (_, before, after) => {
  const lines = check(`${before}\nother: a\n`, `${after}\nother: b\n`);
  const last = (text: string) => text.split("\n").at(-1)?.trim() ?? "";
  const edits = lines.filter((line) => /^[-+]/.test(line)).join("\n");
  expect(edits).toContain(last(before));
  expect(edits).toContain(last(after));
});

test.each([
  ["YAML", "id: 1098765432109876543\nother: a\n", "id: 1098765432109876543\nother: b\n"],
  ["YAML flow", "{id: 1098765432109876543,\nother: a}\n", "{id: 1098765432109876543,\nother: b}\n"],
  ["JSON", '{"id":1098765432109876543,"o":1}', '{"id":1098765432109876543,"o":2}'],
  ["JSON lines", '{\n"id":1098765432109876543,\n"o":1}', '{\n"id":1098765432109876543,\n"o":2}'],
  ["a mode", "mode: 0644\nother: a\n", "mode: 0644\nother: b\n"],
])("an unchanged line of %s shows the live value", (_, before, after) => {
  const text = check(before, after).join("\n");
  expect(text).not.toContain("1098765432109876500");
  expect(text).toMatch(/1098765432109876543|0644/);
});

test.each([
  ["an id of 19 digits", '"id":1098765432109876543', '"id":1098765432109876544'],
  ["a decimal of the same length", '"v":0.10', '"v":1e-1'],
  ["zeros", '"v":1.10', '"v":1.1'],
  ["an exponent", '"v":1e2', '"v":100'],
  ["minus zero", '"v":-0', '"v":0'],
  ["a character in another notation", String.raw`"v":"\u00e9"`, '"v":"é"'],
  ["a field that is given twice with spaces", '"v":1,"v":2', '"v":2'],
])("in JSON, %s: shown when something else changes too", (_, before, after) => {
  for (const space of ["", " ", "\n"]) {
    const of = (text: string, other: string) => `{${space}${text},${space}"o":"${other}"${space}}`;
    const edits = check(of(before, "a"), of(after, "b")).filter((line) => /^[-+]/.test(line));
    expect(edits.filter((line) => line.startsWith("-")).join("")).toContain(before);
    expect(edits.filter((line) => line.startsWith("+")).join("")).toContain(after);
  }
});

test("white space in a JSON string is preserved", () => {
  const lines = check('{"a":"x  y","o":1}', '{"a":"x y","o":2}').join("\n");
  expect(lines).toContain("x  y");
});

test("a second YAML document is preserved", () => {
  const lines = check("a: 1\nb: 1\n...\nc: 1\n", "a: 2\nb: 1\n...\nc: 2\n").join("\n");
  expect(lines).toMatch(/-.*c: 1/);
  expect(lines).toMatch(/\+.*c: 2/);
});

test("an empty value and texts that all parsers read the same are formatted", () => {
  const before = "b: 'x'\na:\nm: 15\nf: 1.5\nt: true\ns: a b\nl: |\n  one\n  two\n";
  const after = 'a: null\nb: "x"\nf: 1.5\nm: 16\nt: true\ns: a b\nl: |\n  one\n  two\n';
  const edits = check(before, after).filter((line) => /^[-+]/.test(line));
  expect(edits.map((line) => line.replace(/\s+/g, ""))).toEqual(["-m:15", "+m:16"]);
});
