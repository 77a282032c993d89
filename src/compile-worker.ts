import { compileConfig } from "./compile/compile-config.ts";
import { describeAdapter, listAdapters } from "./compile/describe-adapters.ts";
import { limitResult } from "./compile/limit-result.ts";
import { sampleRequest } from "./compile/sample-request.ts";
import { type KindTypes, linkKindTypes } from "./compile/schema/kind-types.ts";
import type { KnownVersions } from "./compile/schema/known-versions.ts";
import { starterAdapter } from "./init/starter-adapter.ts";
import { builtinVersions, readBuiltinKinds } from "./io/builtin-kinds/read.ts";
import { serveCompilations } from "./io/cue/serve.ts";

/** The built-in kinds, read when the first manifests are checked and not when the worker starts. */
const known: KnownVersions = {
  names: builtinVersions,
  types: memoizeTypes((version) => linkKindTypes(readBuiltinKinds(version))),
};

function memoizeTypes(read: (version: string | undefined) => KindTypes) {
  const types = new Map<string | undefined, KindTypes>();
  return (version?: string): KindTypes => {
    const found = types.get(version) ?? read(version);
    types.set(version, found);
    return found;
  };
}

/**
 * The entry point of the worker thread. It runs the compile stage next to the CUE engine, so that
 * calls to the engine are synchronous.
 */
serveCompilations({
  compile: (request, cue) => limitResult(compileConfig(request, cue, known)),
  describe: describeAdapter,
  list: listAdapters,
  sample: sampleRequest(starterAdapter),
});
