import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import type { Cue, CueValue, FileSource, ModuleRoot } from "../../../src/ports/cue.ts";

export const wasm = new URL("../../../dist/cue.wasm.zst", import.meta.url);

/** Compiles the engine once per test file. Further instances are cheap. */
export async function compileWasm(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(zstdDecompressSync(readFileSync(wasm)));
}

/** Returns the module a.example/m with the given files. Tests load its package `a.example/m/x`. */
export function moduleOf(files: Readonly<Record<string, string>>, display = ""): ModuleRoot {
  const source: FileSource = {
    in: "memory",
    files: new Map([["cue.mod/module.cue", 'module: "a.example/m"'], ...Object.entries(files)]),
  };
  return { display, files: source };
}

export function cueOf(module: WebAssembly.Module, text: string): Cue {
  return createCue(module, [moduleOf({ "x/x.cue": `package x\n${text}` })]);
}

export function load(cue: Cue, path = "a.example/m/x"): CueValue {
  const loaded = cue.load(path);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.value;
}
