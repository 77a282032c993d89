import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  createRenderer,
  loadRenderEngine,
  type WarmRenderer,
} from "../../../src/io/render/renderer.ts";
import type { HelmRequest } from "../../../src/ports/render.ts";

const wasm = new URL("../../../dist/render.wasm.zst", import.meta.url).href;
const native = fileURLToPath(
  new URL(`../../../native/${process.platform}-${process.arch}/qvs-render`, import.meta.url),
);

/** The kinds of the engine that exist here. CI builds the native one. */
export const renderEngines = [
  { kind: "wasm", program: undefined },
  ...(existsSync(native) ? [{ kind: "native", program: native }] : []),
] as const;

export function openRenderer({ program }: (typeof renderEngines)[number]): WarmRenderer {
  return createRenderer(
    () => loadRenderEngine({ wasm, native: program }, () => {}),
    () => {},
  );
}

/** Returns a request for the chart `shop` with these files, and one template. */
export function chartRequest(
  template: string,
  files: Readonly<Record<string, string>> = {},
): HelmRequest {
  const all = {
    "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "shop/templates/web.yaml": template,
    ...files,
  };
  return {
    files: { in: "memory", files: new Map(Object.entries(all)) },
    chart: "shop",
    release: "web",
    namespace: "shop",
    values: [],
    set: [],
    capabilities: { kubeVersion: "v1.34.0", apiVersions: [], complete: false },
    isUpgrade: false,
    seed: "a",
    clock: Date.UTC(2026, 0),
  };
}

/** Returns a template with one ConfigMap. */
export function configMap(value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  a: ${value}\n`;
}
