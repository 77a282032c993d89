import { boundResult } from "./compile/bound-result.ts";
import { compileConfig } from "./compile/compile-config.ts";
import { describeAdapter } from "./compile/describe-adapter.ts";
import { listAdapters } from "./compile/list-adapters.ts";
import { type Kinds, linkKinds } from "./compile/schema/kinds.ts";
import { readBuiltinKinds } from "./io/builtin-kinds/read.ts";
import { serveCompilations } from "./io/cue/serve.ts";

let kinds: Kinds | undefined;

/** Entry of the worker thread: the compile stage side by side with the CUE engine, so that its calls are synchronous. */
serveCompilations({
  compile: (request, cue) => boundResult(compileConfig(request, cue, builtinKinds)),
  describe: describeAdapter,
  list: listAdapters,
});

/** With the first manifests, not with the start of the worker. */
function builtinKinds(): Kinds {
  kinds ??= linkKinds(readBuiltinKinds());
  return kinds;
}
