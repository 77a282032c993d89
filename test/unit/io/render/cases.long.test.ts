import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadRenderEngine } from "../../../../src/io/render/load-engine.ts";
import { createRenderer } from "../../../../src/io/render/renderer.ts";
import { inputs, printChart, readCases } from "../../../support/render/cases.ts";

const wasm = new URL("../../../../dist/render.wasm.zst", import.meta.url).href;
const native = new URL(
  `../../../../native/${process.platform}-${process.arch}/qvs-render`,
  import.meta.url,
).pathname;

const kinds = [
  { kind: "wasm", exists: existsSync(new URL(wasm)), path: undefined },
  { kind: "native", exists: existsSync(native), path: native },
] as const;

for (const { kind, exists, path } of kinds) {
  // QVS_INPUTS is no part of the project, and the native engine is built on demand.
  describe.skipIf(inputs === undefined || !exists)(`the ${kind} render engine`, () => {
    const load = () => loadRenderEngine({ wasm, native: path }, () => {});
    const renderer = createRenderer(load, () => {});
    test.for(readCases().map((each) => [each.title, each] as const))(
      "gives the output of the real tool: %s",
      ([, each]) => {
        if ("overlay" in each) {
          const { result } = renderer.renderKustomize(each.overlay);
          expect(result).toMatchObject({ ok: true, value: { documents: each.expected } });
          return;
        }
        const { result } = renderer.renderHelm(each.request);
        if (typeof each.expected !== "string") {
          const message = expect.stringMatching(each.expected);
          expect(result).toMatchObject({ ok: false, problems: [{ message }] });
          return;
        }
        if (!result.ok) throw new Error(JSON.stringify(result.problems));
        const { differences = [] } = result.value;
        const places = differences.map(
          (place) => `${place.template} ${place.kind}: ${place.path.at(-1)}`,
        );
        expect([...new Set(places)].sort()).toEqual(each.differs);
        const printed = printChart(result.value, each.includeCrds);
        expect(withoutChance(printed, each.differs)).toBe(
          withoutChance(each.expected, each.differs),
        );
      },
    );
  });
}

/** Removes the lines of keys that differ by chance. */
function withoutChance(text: string, differs: readonly string[]): string {
  const keys = new Set(differs.map((place) => place.split(": ").at(-1)));
  return text
    .split("\n")
    .filter((line) => !keys.has(/^\s*([\w.]+): \S/.exec(line)?.[1]))
    .join("\n");
}
