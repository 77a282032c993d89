import { sampleRequest } from "../../../src/compile/sample-request.ts";
import { starterAdapter } from "../../../src/init/starter-adapter.ts";
import { serveCompilations } from "../../../src/io/cue/serve.ts";
import { ok, type Result } from "../../../src/model/problems/problem.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import type { CompileRequest, Cue } from "../../../src/ports/cue.ts";

/**
 * A worker whose compile stage only exports the field `out` of every pattern. That is enough to
 * test the engine.
 */
serveCompilations({
  compile: exportAll,
  describe: () => ok(undefined),
  list: () => ok([]),
  sample: sampleRequest(starterAdapter),
});

function exportAll({ config }: CompileRequest, cue: Cue): Result<Compilation> {
  if (config.file === "endless-recursion.yaml") return recurse();
  const warnings = config.designPatterns.map(({ pattern, where }) => {
    const loaded = cue.load(pattern);
    const out = loaded.ok ? cue.lookup(loaded.value, ["out"]) : undefined;
    const exported = out === undefined ? undefined : cue.export(out);
    return {
      code: "deprecated-syntax" as const,
      where: [where],
      what: JSON.stringify(exported ?? loaded),
      fix: "",
    };
  });
  const layout = {
    pattern: "",
    name: "",
    file: "",
    line: 1,
    group: undefined,
    params: {},
    resources: [],
    composites: [],
  };
  return ok({ resources: [], pulumi: undefined, layout, warnings, inputs: cue.files() });
}

function recurse(): never {
  return recurse();
}
