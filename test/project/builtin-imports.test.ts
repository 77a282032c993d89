import { expect, test } from "vitest";
import { withBuiltins } from "../../scripts/builtin-imports.ts";

const get = (name: string) => `process.getBuiltinModule("node:${name}")`;
const namespace = `(builtin=>Object.create(builtin,{default:{value:builtin}}))`;

test.each([
  [`import{join as a,sep}from"node:path";a(sep);`, `const {join:a,sep}=${get("path")};a(sep);`],
  [`import a,{join}from"path";`, `const a=${get("path")};const {join}=${get("path")};`],
  [`import*as a from"node:os";`, `const a=${namespace}(${get("os")});`],
  [`import"node:os";x();`, "x();"],
  [
    `import{a}from"./qvs.js";import b from"node:fs";`,
    `import{a}from"./qvs.js";const b=${get("fs")};`,
  ],
])("%s gets its builtins from the process", (code, expected) => {
  expect(withBuiltins(code)).toBe(expected);
});

test("the namespace of a builtin has its fields and itself as default", () => {
  const code = withBuiltins(`import*as path from"node:path";`);
  const found = new Function(`${code}return path;`)();
  expect(found.join("a", "b")).toBe("a/b");
  expect(found.default).toBe(process.getBuiltinModule("node:path"));
});
