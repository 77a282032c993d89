import { afterAll, expect, test } from "vitest";
import { startPool } from "../../../src/io/cue/pool.ts";
import type { Config } from "../../../src/model/sources/config.ts";
import { testedNative } from "../../support/cue/native.ts";
import { chartRequest, configMap } from "../../support/render/engines.ts";

const script = new URL("../../support/render/chart-worker.ts", import.meta.url);
const wasm = new URL("../../../dist/cue.wasm.zst", import.meta.url);
const patient = startPool({ script, wasm, native: testedNative, timeLimit: 3_600_000 });
const hasty = startPool({ script, wasm, native: testedNative, timeLimit: 5_000 });
afterAll(() => Promise.all([patient.close(), hasty.close()]));

/** Returns a request whose worker renders a chart with this template, or nothing. */
function requestWith(template?: string) {
  const { files } = chartRequest(template ?? "");
  const display = template === undefined ? "nothing" : "chart";
  const config: Pick<Config, "designPatterns"> = { designPatterns: [] };
  return { config: config as Config, modules: [{ display, files }] };
}

/** Loops without output. They pass every limit of lists and texts, and would take years. */
const nested = `${"{{ range until 1000000 }}".repeat(3)}${"{{ end }}".repeat(3)}`;

test("a chart with endless loops without output is stopped at the time limit", async () => {
  const outcome = await askStarted(requestWith(nested));
  expect(outcome).toMatchObject({ type: "stopped", why: "time", evaluating: "shop" });
});

test("the memory of a worker includes its render engine", async () => {
  const before = await patient.ask(requestWith());
  const after = await patient.ask(requestWith(configMap("1")));
  expect(memoryOf(after)).toBeGreaterThan(memoryOf(before) + (4 << 20));
});

/** Repeats a request until its engine starts within the limit, which a busy machine can exceed. */
async function askStarted(request: ReturnType<typeof requestWith>) {
  for (;;) {
    const outcome = await hasty.ask(request);
    if (outcome.type !== "stopped" || outcome.evaluating !== undefined) return outcome;
  }
}

function memoryOf(outcome: Awaited<ReturnType<typeof patient.ask>>): number {
  if (outcome.type !== "answered") throw new Error(`stopped: ${outcome.why}`);
  return outcome.memoryUsed ?? 0;
}
