import { beforeAll, describe, expect, it } from "vitest";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import { compileRule } from "./specification.ts";
import { adapterRules } from "./specification-adapter.ts";
import { configRules } from "./specification-config.ts";
import { providerRules } from "./specification-providers.ts";

describe.each([
  ["QVS config", configRules],
  ["Infrastructure Adapter", adapterRules],
  ["providers", providerRules],
])("%s", (_, rules) => {
  let wasm: WebAssembly.Module;
  beforeAll(async () => {
    wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
  });

  it.each(rules)("$name", async (rule) => {
    expect(await compileRule(rule, wasm)).toBe(rule.expected);
  });
});
