import type { JsonObject } from "../model/json.ts";
import type { CompileRequest } from "../ports/cue.ts";

/**
 * Returns a request for a config that uses the adapter that `qvs init` writes. Its module is in
 * memory.
 */
export function sampleRequest(adapter: string): CompileRequest {
  const where = { file: "sample.yaml", line: 1, column: 1 };
  const params = Object.entries(sampleValues).map(([name, value]) => ({
    name,
    value,
    where,
    from: [],
  }));
  const use = { pattern: `${sampleModule}/app`, group: undefined, params, where };
  const files = new Map([
    ["cue.mod/module.cue", `module: "${sampleModule}"\nlanguage: version: "v0.12.0"\n`],
    ["app/app.cue", adapter],
  ]);
  return {
    config: { file: where.file, params: [], modules: [], designPatterns: [use] },
    modules: [{ display: "", files: { in: "memory", files } }],
  };
}

const sampleModule = "sample.example/adapters";

const sampleValues: JsonObject = {
  name: "sample",
  namespace: "sample",
  image: "registry.example/sample:1",
  port: 8080,
  settings: { GREETING: "hello" },
};
