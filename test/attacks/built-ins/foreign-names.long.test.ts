import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { foreignNames } from "./foreign-names.ts";

const root = join(import.meta.dirname, "../../..");

test("no untrusted name is used to look up an inherited property", () => {
  // The only allowed place, because it first checks that the object itself has the property.
  const [allowed, ...others] = foreignNames(root, "src");
  expect(allowed).toMatch(/^src\/model\/json\.ts:\d+ object\[name\]: /);
  expect(others).toEqual([]);
});

/** One violation per rule, next to code that must stay allowed. */
const planted = `
import * as v from "valibot";
type Json = null | string | readonly Json[] | { readonly [field: string]: Json };
const table = { a: 1, b: 2 } as const;
declare const map: Readonly<Record<string, string>>;
declare const json: Json;
declare const list: readonly Json[];
declare let name: string;
declare const known: "a" | "b";
export function generic<K extends string>(key: K) {
  return [map[key], table[known], list[0], map.a, [1, 2][Number(name)]];
}
export const read = map[name];
export const template = map[\`f:\${name}\`];
export const asserted = table[name as keyof typeof table];
export const asked = name in table;
export const literal = "a" in table;
export const { [name]: taken, ...others } = map;
export const { [known]: fine } = table;
for (name in map) console.log(name);
export const said = \`\${json}\`;
export const text = String(json);
export const number = Number(json);
export const joined = list.join();
export const sorted = list.toSorted();
export const texts = [name].join() + [name].toSorted() + String(name) + \`\${name}\`;
export const assigned = Object.assign({}, map);
export const schema = v.record(v.string(), v.string());
(map as Record<string, string>)[name] = "x";
`;

test("the check finds every such lookup", () => {
  const folder = mkdtempSync(join(tmpdir(), "qvs-foreign-names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "src"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  symlinkSync(join(root, "tsconfig.json"), join(folder, "tsconfig.json"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  writeFileSync(join(folder, "src/a.ts"), planted);
  const found = foreignNames(folder, "src").map((each) =>
    each.replace(/^\S+ /, "").replace(/: [^:]+$/, ""),
  );
  expect(found).toEqual([
    "map[key]",
    "map[name]",
    `map[\`f:\${name}\`]`,
    "table[name as keyof typeof table]",
    "name in table",
    "[name]: taken",
    "for (name in map) console.log(name);",
    "json}`",
    "String(json)",
    "Number(json)",
    "list.join()",
    "list.toSorted()",
    "Object.assign({}, map)",
    "v.record(v.string(), v.string())",
    "(map as Record<string, string>)[name]",
  ]);
});
