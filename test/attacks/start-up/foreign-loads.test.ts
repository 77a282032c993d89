import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleEntry } from "../../../scripts/bundle.ts";
import { findForeignLoads } from "../../../scripts/find-loads.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { attacks } from "../attack.ts";

const root = join(import.meta.dirname, "../../..");
const surroundings = { files: new Set(["action.js", "cue.wasm.zst"]), startsWorkers: false };

/** Loads that the build must find in a bundle, however they are written. */
const hidden = [
  'import x from "supports-color"',
  'import "supports-color"',
  'import x from "fs"',
  'import x from "./elsewhere.js"',
  'import x from "../action.js"',
  'import x from "#internal"',
  'import x from "node:not-a-builtin"',
  'export * from "supports-color"',
  'export {x} from "supports-color"',
  'await import("supports-color")',
  "await import(`supports-color`)",
  "await import(`./${name}.js`)",
  "await import(name)",
  'await import("data:text/javascript,1")',
  'try { require("supports-color") } catch {}',
  "const load = require; load(name)",
  'require.resolve("supports-color")',
  '__require("supports-color")',
  'import {createRequire} from "node:module"',
  'import {createRequire as e} from "node:module"; e(import.meta.url)(name)',
  'import * as m from "node:module"; m["createRequire"](import.meta.url)',
  'process.getBuiltinModule("module")',
  'process["getBuiltinModule"](name)',
  'process["getBuiltinModule"]("node:fs")',
  'process.getBuiltinModule("node:module")',
  'process.getBuiltinModule("node:vm")',
  'process.getBuiltinModule("fs")',
  "process.getBuiltinModule(name)",
  'process.getBuiltinModule("node:fs", name)',
  'other.process.getBuiltinModule("node:fs")',
  'const get = process.getBuiltinModule; get("module")',
  "const {getBuiltinModule: get} = process",
  "process.mainModule.require(name)",
  "x.constructor._load(name)",
  'process.dlopen(module, "./evil.node")',
  "eval(text)",
  "(0, eval)(text)",
  'new Function("return 1")',
  'Function("return 1")',
  'import vm from "node:vm"',
  'import.meta.resolve("supports-color")',
  "const {resolve} = import.meta",
  "const folder = import.meta.dirname",
  'new URL("./elsewhere.js", import.meta.url)',
  'new URL("../node_modules/x/index.js", import.meta.url)',
  "new URL(name, import.meta.url)",
  'new URL(now ? "./action.js" : "./elsewhere.js", import.meta.url)',
  'import {Worker} from "node:worker_threads"',
  'import * as w from "node:worker_threads"; new w.Worker("./evil.js")',
];
attacks("start-up", "the build finds %s", hidden, (code) => {
  expect(findForeignLoads(code, surroundings)).not.toEqual([]);
});

test.each([
  'import fs, {readFileSync} from "node:fs"',
  'import {setTimeout} from "node:timers/promises"',
  'await import("./action.js")',
  'new URL("./cue.wasm.zst", import.meta.url)',
  'new URL("https://example.com")',
  'import.meta.url.endsWith(".ts")',
  'process.getBuiltinModule("node:fs")',
  "Object.getOwnPropertyDescriptor(Function.prototype, 'name')",
  "const x = {require: 1, eval: 2}; x.require",
])("the build allows %s", (code) => {
  expect(findForeignLoads(code, surroundings)).toEqual([]);
});

test("the build reports foreign loads and the packages that cause them", async () => {
  const folder = new GitFixture();
  const packages = "node_modules";
  folder.write("entry.js", 'import "outer";');
  folder.write(`${packages}/outer/package.json`, '{"type": "module", "main": "index.js"}');
  folder.write(`${packages}/outer/index.js`, 'import inner from "inner"; console.log(inner);');
  folder.write(`${packages}/inner/package.json`, '{"main": "index.js"}');
  folder.write(
    `${packages}/inner/index.js`,
    'try { module.exports = require("optional"); } catch {}',
  );
  const { foreign } = await bundleEntry(join(folder.directory, "entry.js"));
  expect(foreign).toHaveLength(1);
  expect(foreign[0]).toContain('__require("optional")');
  expect(foreign[0]).toMatch(/\(inner, brought by outer, brought by .*entry\.js\)$/);
});

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/**
 * Developer tools for platforms on which qvs is neither built nor tested. Their hashes weren't
 * available when the lockfile was written. npm installs them on no other platform, so every package
 * that builds dist or runs in CI has a hash.
 */
const forOtherMachines = /^node_modules\/@(?:biomejs\/cli|oxc-parser\/binding)-/;

function isForOthers(path: string, { dev, os, cpu, libc }: LockedPackage): boolean {
  const fits =
    (os?.includes("linux") ?? true) &&
    (cpu?.includes("x64") ?? true) &&
    (libc?.includes("glibc") ?? true);
  return dev === true && !fits && forOtherMachines.test(path);
}

/** The project's own directories. The last one is npm's link to the workspace. */
const ownFolders = ["", "tools", "node_modules/qvs-tools"];

test("every package in package-lock.json has a hash and no address", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const entries = Object.entries<LockedPackage>(packages).filter(
    ([path]) => !ownFolders.includes(path),
  );
  expect(entries.length).toBeGreaterThan(200);
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  const bare = entries.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
  expect(bare.filter(([path, locked]) => !isForOthers(path, locked))).toEqual([]);
  // The number must not grow. A version with hashes is better.
  expect(bare.length).toBeLessThanOrEqual(23);
});
