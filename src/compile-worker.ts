import { compileConfig } from "./compile/compile-config.ts";
import { describeAdapter, listAdapters } from "./compile/describe-adapters.ts";
import { limitResult } from "./compile/limit-result.ts";
import { sampleRequest } from "./compile/sample-request.ts";
import { starterAdapter } from "./init/starter-adapter.ts";
import { builtinVersions, readBuiltinKinds } from "./io/builtin-kinds/read.ts";
import { serveCompilations } from "./io/cue/serve.ts";
import { linkVersions } from "./validation/kind-types.ts";

/** The built-in kinds, read when the first manifests are checked and not when the worker starts. */
const known = linkVersions(builtinVersions, readBuiltinKinds);

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
