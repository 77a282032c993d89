import { expect, test } from "vitest";
import { hideInTemplates } from "../../../src/redaction/given-values.ts";

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
