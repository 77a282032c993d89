import { boundResult } from "./compile/bound-result.ts";
import { compileConfig } from "./compile/compile-config.ts";
import { describeAdapter } from "./compile/describe-adapter.ts";
import { listAdapters } from "./compile/list-adapters.ts";
import { serveCompilations } from "./io/cue/serve.ts";

/** Entry of the worker thread: the compile stage side by side with the CUE engine, so that its calls are synchronous. */
serveCompilations({
  compile: (request, cue) => boundResult(compileConfig(request, cue)),
  describe: describeAdapter,
  list: listAdapters,
});
