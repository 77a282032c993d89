import { createHash } from "node:crypto";
import type { CompileRequest } from "../../../ports/cue.ts";

/**
 * Returns the SHA-256 of a request without its files, in hex. It covers the bound config with all
 * places, the display names of the modules, and the options.
 */
export function requestKey({ config, modules, ...options }: CompileRequest): string {
  const { trace = false, check = false, kubernetes = "", definitions = [] } = options;
  const { lacksCharts = false } = options;
  const names = modules.map(({ display }) => display);
  return digest(
    "request",
    ...[config, names, trace, check, kubernetes, definitions, lacksCharts].map((each) =>
      JSON.stringify(each),
    ),
  );
}

/** Returns the SHA-256 of a list of strings, in hex. No two lists have the same encoding. */
export function digest(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
