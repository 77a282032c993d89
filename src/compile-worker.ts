import { boundResult } from "./compile/bound-result.ts";
import { compileConfig } from "./compile/compile-config.ts";
import { describeAdapter } from "./compile/describe-adapter.ts";
import { listAdapters } from "./compile/list-adapters.ts";
import { sampleRequest } from "./compile/sample-request.ts";
import { linkKinds } from "./compile/schema/kinds.ts";
import { firstAdapter } from "./init/first-adapter.ts";
import { readBuiltinKinds } from "./io/builtin-kinds/read.ts";
import { serveCompilations } from "./io/cue/serve.ts";
import { lazily } from "./model/lazily.ts";

/** With the first manifests, not with the start of the worker. */
const builtinKinds = lazily(() => linkKinds(readBuiltinKinds()));

/** Entry of the worker thread: the compile stage side by side with the CUE engine, so that its calls are synchronous. */
serveCompilations({
  compile: (request, cue) => boundResult(compileConfig(request, cue, builtinKinds)),
  describe: describeAdapter,
  list: listAdapters,
  sample: sampleRequest(firstAdapter),
});
