import { sampleRequest } from "../../../src/compile/sample-request.ts";
import { starterAdapter } from "../../../src/init/starter-adapter.ts";
import { serveCompilations } from "../../../src/io/cue/serve.ts";
import { failed } from "../../../src/model/problems/problem.ts";
import { chartRequest } from "./engines.ts";

/** A compile worker that renders the chart `shop` of a request. Its compilations always fail. */
serveCompilations({
  compile({ modules: [root] }, _, renderer) {
    if (root?.display === "chart")
      renderer.renderHelm({ ...chartRequest(""), files: root.files, chart: "shop" });
    return failed([]);
  },
  describe: () => failed([]),
  list: () => failed([]),
  sample: sampleRequest(starterAdapter),
});
