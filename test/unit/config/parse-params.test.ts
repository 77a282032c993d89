import { expect, test } from "vitest";
import {
  type GivenParam,
  parseInlineParams,
  parseParams,
} from "../../../src/config/parse-params.ts";
import { toJson } from "../../../src/config/read-typed.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import { resultText } from "./result-text.ts";

function shown(result: Result<readonly GivenParam[]>): string {
  return resultText(result, (given) =>
    given.map(({ name, value }) => `${name} = ${JSON.stringify(toJson(value))}`).join("\n"),
  );
}

test.each([
  ["a map", "a: 1\nb: [x]\n", 'a = 1\nb = ["x"]'],
  ["JSON", '{"a": {"b": null}}', 'a = {"b":null}'],
  ["an empty file", "# later\n", ""],
  [
    "the form with lists",
    '{"params": [{"name": "a", "value": 1}], "secrets": [{"name": "s", "key": "k", "version": "2"}]}',
    'a = 1\ns = {"key":"k","version":"2"}',
  ],
  ["only secrets, without a version", "secrets: [{name: s, key: k}]", 's = {"key":"k"}'],
  ["an empty list of params", "params: []", ""],
  ["a map with a parameter called params", "params: [a, b]\n", 'params = ["a","b"]'],
  [
    "a map with secrets next to others",
    "secrets: [{name: s}]\na: 1",
    'secrets = [{"name":"s"}]\na = 1',
  ],
])("reads %s", (_, text, expected) => expect(shown(parseParams("p.yaml", text))).toBe(expected));

test.each([
  [
    "a list",
    "- a",
    'p.yaml:1:1: The file isn\'t an object\n  found: a list\n  → Write its fields as "name: value"',
  ],
  [
    "a parameter without a value",
    "params: [{name: a}]",
    'p.yaml:1:10: "params[0]" has no "value"\n  → Add "value:"',
  ],
  [
    "a misspelled field",
    "params: [{name: a, valeu: 1, value: 1}]",
    'p.yaml:1:20: Key "valeu" is unknown\n  → Did you mean "value"?',
  ],
  [
    "a secret without a key",
    "secrets: [{name: a}]",
    'p.yaml:1:11: "secrets[0]" has no "key"\n  → Add "key:" with the name under which the secret is stored',
  ],
  [
    "a name given twice",
    "params: [{name: a, value: 1}]\nsecrets: [{name: a, key: k}]",
    'p.yaml:2:11: Parameter "a" has two values\n  and p.yaml:1:27\n  → Remove one of the two values',
  ],
])("rejects %s", (_, text, expected) => expect(shown(parseParams("p.yaml", text))).toBe(expected));

test("inline values are text up to their end, whatever they contain", () => {
  const given = parseInlineParams(["a=1", "b=x=y", "c=", "d = e"]);
  expect(shown(given)).toBe('a = "1"\nb = "x=y"\nc = ""\nd = " e"');
});

test("an inline value without a name is rejected without the value in the message", () => {
  expect(shown(parseInlineParams(["hunter2", "=x"]))).not.toContain("hunter2");
  expect(shown(parseInlineParams(["=x"]))).toMatch(/^"--param" isn't followed by NAME=VALUE/);
});
