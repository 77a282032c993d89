import { createHash } from "node:crypto";
import type { CompileRequest } from "../../ports.ts";

/** SHA-256 in hex of a request, its files left out: bound config with all places, and what the modules are called. */
export function keyOfRequest({ config, modules, trace = false }: CompileRequest): string {
  const names = modules.map(({ display }) => display);
  return digest("request", JSON.stringify(config), JSON.stringify(names), String(trace));
}

/** SHA-256 in hex of some texts, which no other texts make. */
export function digest(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
