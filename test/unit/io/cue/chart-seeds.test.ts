import { expect, test } from "vitest";
import { createPoolCompiler } from "../../../../src/io/cue/compiler.ts";
import type { Pool } from "../../../../src/io/cue/pool.ts";
import { failed } from "../../../../src/model/problems/problem.ts";
import type { ChartRequest } from "../../../../src/ports/cue.ts";

const helm: ChartRequest["helm"] = {
  ...{ chart: "charts/db", release: "db", namespace: "shop", values: [], set: [] },
  capabilities: { apiVersions: [], complete: false },
  isUpgrade: false,
};
const scope = { deployment: "staging", entry: 0 };

/** Returns both seeds of each request in one run. */
async function seeds(requests: readonly Partial<ChartRequest>[]): Promise<readonly string[]> {
  const sent: string[] = [];
  const pool: Pool = {
    options: { script: new URL("file:///compile.js"), wasm: new URL("file:///cue.wasm") },
    ask: async (request) => {
      if (!("helm" in request)) throw new Error("Only charts are rendered here");
      const { seed, compare } = request.helm as { seed?: string; compare?: { seed: string } };
      sent.push(`${seed} ${compare?.seed}`);
      return { type: "answered", result: failed([]) };
    },
    close: async () => {},
  };
  const compiler = createPoolCompiler(pool, {});
  for (const each of requests) await compiler.renderChart({ helm, scope, modules: [], ...each });
  return sent;
}

test.each<[string, Partial<ChartRequest>]>([
  ["deployment", { scope: { ...scope, deployment: "production" } }],
  ["entry", { scope: { ...scope, entry: 1 } }],
  ["chart", { helm: { ...helm, chart: "charts/queue" } }],
  ["release", { helm: { ...helm, release: "other" } }],
  ["namespace", { helm: { ...helm, namespace: "other" } }],
])("another %s has other seeds, and no two seeds are equal", async (_, changed) => {
  const all = (await seeds([{}, changed])).flatMap((each) => each.split(" "));
  expect(new Set(all).size).toBe(4);
});

test("equal requests of a run have equal seeds, and another run has others", async () => {
  const [first, again] = await seeds([{}, { helm: { ...helm, set: [{ path: "a", value: 1 }] } }]);
  expect(again).toBe(first);
  expect(await seeds([{}])).not.toContain(first);
});
