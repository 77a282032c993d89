import { expect, test } from "vitest";
import { toJson } from "../../../../src/config/read-typed.ts";
import { readYaml } from "../../../../src/config/yaml/read.ts";
import { fc } from "../../../support/fast-check.ts";
import { runs } from "../../../support/runs.ts";
import { resultText } from "../result-text.ts";

function check(text: string, expected: string): void {
  expect(resultText(readYaml("f.yaml", text), (node) => JSON.stringify(toJson(node)))).toContain(
    expected,
  );
}

test.each([
  [
    "integers, decimals, octals, booleans and nulls",
    "[1, 1.5, 0o17, true, null, ~]",
    "[1,1.5,15,true,null,null]",
  ],
  ["YAML 1.2 keeps yes, on and dates text", "[yes, on, 2024-01-01]", '["yes","on","2024-01-01"]'],
  ["an alias has the value of its anchor", "a: &x {b: 1}\nc: *x", '{"a":{"b":1},"c":{"b":1}}'],
  ["a number as a key is text as written", "1.10: a", '{"1.10":"a"}'],
  ["JSON is YAML", '{"a": ["b"]}', '{"a":["b"]}'],
  ["a key called __proto__ is an ordinary one", "__proto__: {a: 1}", '{"__proto__":{"a":1}}'],
  ["an empty file is null", "# nothing", "null"],
  ["a byte order mark is no part of the text", "\uFEFFa: 1", '{"a":1}'],
  ["Windows line ends", "a: 1\r\nb: 2\r\n", '{"a":1,"b":2}'],
])("%s", (_, text, expected) => check(text, expected));

test.each([
  [
    "a key given twice",
    "a: 1\nb: 2\na: 3",
    'f.yaml:3:1: "a" occurs twice in one object\n  and f.yaml:1:1\n  first: line 1',
  ],
  [
    "a whole number that would lose digits",
    "a: 9007199254740993",
    "f.yaml:1:4: The number can't be represented exactly",
  ],
  ["infinity", "a: .inf", "f.yaml:1:4: The number can't be represented exactly"],
  ["a key that is a list", "[a]: 1", "f.yaml:1:1: A key isn't a string"],
  ["a merge key", "a: &x {}\nb:\n  <<: *x", 'f.yaml:3:3: Merge key "<<" isn\'t part of YAML 1.2'],
  ["an unknown tag", "a: !secret b", "f.yaml:1:4: The YAML tag is unknown"],
  [
    "an alias without an anchor",
    "a: *x",
    'f.yaml:1:4: Anchor "&x" isn\'t defined before this alias',
  ],
  [
    "an alias inside its own anchor",
    "a: &x [*x]",
    'f.yaml:1:8: Anchor "&x" isn\'t defined before this alias',
  ],
  ["two documents", "a: 1\n---\nb: 1", "f.yaml:2:1: The file contains more than one YAML document"],
  ["no text after what can't be read", "[*])\n- \0", "f.yaml:2:3: The file isn't text in UTF-8"],
  ["a tab as indentation", "a:\n\tb: 1", "f.yaml:2:1: A tab indents this line"],
  [
    "deep nesting",
    `${"[".repeat(150)}${"]".repeat(150)}`,
    "f.yaml:1:101: The YAML is nested deeper than 100 levels",
  ],
  [
    "nesting deeper than our stack",
    "[".repeat(100_000),
    "f.yaml:1:101: The YAML is nested deeper than 100 levels",
  ],
  ...["- ", "- ? "].map((level): [string, string, string] => [
    `levels of ${JSON.stringify(level)} that are closed by what follows`,
    `a:\n  ${level.repeat(20_000)}x\nb: 1\n`,
    "f.yaml:2:201: The YAML is nested deeper than 100 levels",
  ]),
  [
    "maps in maps that are closed by what follows",
    `${Array.from({ length: 2500 }, (_, level) => `${" ".repeat(level)}a:\n`).join("")}b: 1\n`,
    "f.yaml:101:101: The YAML is nested deeper than 100 levels",
  ],
  ["a long file", "x".repeat(5_000_000), "f.yaml:1:1: The YAML is longer than 4 MiB"],
  [
    "a file with very many signs",
    "#".repeat(600_000),
    "f.yaml:1:1: The YAML has more than 512 Ki special characters\n  why: Line breaks, punctuation marks and all other characters that can have a meaning in YAML count",
  ],
])("rejects %s", (_, text, expected) => check(text, expected));

test.each([
  [
    "an alias bomb",
    bomb(),
    "f.yaml:1:15: The YAML has too many levels or values\n  limit: 100 levels, 100000 values with aliases",
  ],
  [
    "an alias bomb of one long text",
    longTextBomb(),
    "f.yaml:1:7: The YAML has too many levels or values",
  ],
])("rejects %s", { tags: "slow" }, (_, text, expected) => check(text, expected));

test("a value can have the size of a ConfigMap, in Base64", () => {
  const value = Buffer.alloc(1024 * 1024, "?").toString("base64");
  const wrapped = value.replaceAll(/.{76}/g, "$&\n  ");
  for (const text of [`file: ${value}`, `file: |\n  ${wrapped}\n`]) {
    const read = readYaml("f.yaml", text);
    expect(read.ok).toBe(true);
  }
});

function bomb(): string {
  const levels = [..."abcdefghi"].map((name, index, all) => {
    const content = index === 0 ? '"lol"' : `*${all[index - 1]}`;
    return `${name}: &${name} [${Array(9).fill(content).join(", ")}]`;
  });
  return levels.join("\n");
}

function longTextBomb(): string {
  return `a: &a "${"x".repeat(100_000)}"\nb: [${Array(100).fill("*a").join(", ")}]`;
}

const secret = "eC1hY2Nlc3MtdG9rZW4";

test.each([
  [
    "git's settings",
    `[http]\n\textraheader = AUTHORIZATION: basic ${secret}\n`,
    "f.yaml:2:2: Unexpected text follows here",
  ],
  ["text after a closing quote", `a: "b" ${secret}`, "f.yaml:1:8: Unexpected text follows here"],
  [
    "a directive",
    `%${secret}\n---\na: 1`,
    "f.yaml:1:1: The YAML directive is unknown\n  why: A line that begins with % is a directive",
  ],
  [
    "a version",
    `%YAML ${secret}\n---\na: 1`,
    "f.yaml:1:7: The YAML directive is unknown\n  why: A line that begins with % is a directive",
  ],
  ["an escape sequence", `a: "\\q${secret}"`, "begins an unknown escape sequence"],
  ["a tag", `a: !${secret} b`, "f.yaml:1:4: The YAML tag is unknown"],
  [
    "a tag on a list",
    `a: !!set [${secret}]`,
    "f.yaml:1:4: The tag doesn't match the kind of value",
  ],
  ["a block scalar", `a: |${secret}\n  b`, "f.yaml:1:5: Unexpected text follows here"],
  ["text that isn't YAML", `- a\n${secret}: {\n`, "f.yaml:2:1: Unexpected text follows here"],
])("a problem with %s quotes nothing of the text", (_, text, expected) => {
  const problems = resultText(readYaml("f.yaml", text), () => "");
  expect(problems).toContain(expected);
  expect(problems).not.toMatch(new RegExp(`${secret}|basic|eC`));
});

test("a file with many faults is reported with the first fault", { tags: "slow" }, () => {
  const result = readYaml("f.yaml", "}".repeat(10_000));
  expect(result.ok ? 0 : result.problems.length).toBe(1);
});

test("any JSON value is read as it is", () => {
  // JSON has a negative zero, which no text form of YAML or JSON keeps apart.
  const value = fc.jsonValue({ maxDepth: 5 }).map((json) => JSON.parse(JSON.stringify(json)));
  fc.assert(
    fc.property(value, (json) => {
      const read = readYaml("f.json", JSON.stringify(json));
      if (read.ok) expect(toJson(read.value)).toEqual(json);
      else expect(JSON.stringify(read.problems)).toMatch(/represented exactly|erge key/);
    }),
  );
});

test("any text is read or rejected without an exception", () => {
  const pieces = fc.constantFrom(
    "a",
    ":",
    " ",
    "\n",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&x",
    "*x",
    '"',
    "'",
    "|",
    "?",
    "!",
    "#",
    "1",
    "\t",
    "<<",
    ",",
  );
  const codePoint = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.array(pieces).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(text, (yaml) => typeof readYaml("f.yaml", yaml).ok === "boolean"),
    runs(150),
  );
});
