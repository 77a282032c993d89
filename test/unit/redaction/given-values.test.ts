import { expect, test } from "vitest";
import { hideInTemplates } from "../../../src/redaction/given-values.ts";

function doubleBase64(text: string): string {
  return Buffer.from(Buffer.from(text).toString("base64")).toString("base64");
}

test("short strings are hidden only as they are", () => {
  expect(hideInTemplates(["Abcde"]).hide("ABCDE abcde Abcde")).toBe("ABCDE abcde (hidden)");
});

test("the beginning of Base64 of Base64 is hidden before a line break", () => {
  const { hide } = hideInTemplates(["correct-horse-battery"]);
  expect(hide(doubleBase64("correct-horse-battery\n"))).toMatch(/^\(hidden\).{1,12}$/);
});

test.each([
  ["unchanged", "hunter2", "got hunter2 here"],
  ["in three characters", "abc", "got abc here"],
  ["quoted by Go", 'a"b\\c\x07 d\tééé', String.raw`got a\"b\\c\a d\tééé here`],
  ["quoted by Go as ASCII", "pässwörd", String.raw`got p\u00e4ssw\u00f6rd here`],
  [
    "quoted by Go without spaces of other scripts",
    "pass\u00a0word",
    String.raw`got pass\u00a0word here`,
  ],
  ["quoted twice by Go", 'pa"ss', String.raw`got pa\\\"ss here`],
  ["as JSON of Go", "a<b&c>d", String.raw`got a\u003cb\u0026c\u003ed here`],
  ["as Base64", "hunter2", `got ${Buffer.from("hunter2").toString("base64")} here`],
  ["in a message of a schema", `it's "it"`, String.raw`got it\'s "it" here`],
  ["as a number", 123456, "got 123456 here"],
  ["in upper case", "hunter2", "got HUNTER2 here"],
  ["in lower case", "Hunter2-AB", "got hunter2-ab here"],
  ["in title case", "hunter2 of ABC", "got Hunter2 Of ABC here"],
  ["in title case of CUE", "hunter2-geheim", "got Hunter2-geheim here"],
  ["in hexadecimal digits", "hunter2", "got 68756e74657232 here"],
  ["as Base64 of Base64", "hunter2", `got ${doubleBase64("hunter2")} here`],
])("a value is hidden %s", (_, value, message) => {
  expect(hideInTemplates([value]).hide(message)).toBe("got (hidden) here");
});

test("all strings in objects and lists are hidden in a map that Go prints", () => {
  const { hide } = hideInTemplates([{ user: "alice", more: [{ password: "hunter2" }] }]);
  expect(hide("map[more:[map[password:hunter2]] user:alice]")).toBe(
    "map[more:[map[password:(hidden)]] user:(hidden)]",
  );
});

test("a broken template is hidden as a whole and in its words", () => {
  const { hide } = hideInTemplates(['{{ hunter2 "x" ']);
  expect(hide('cannot parse template "{{ hunter2 \\"x\\" ": function "hunter2" not defined')).toBe(
    'cannot parse template "(hidden)": function "(hidden)" not defined',
  );
});
