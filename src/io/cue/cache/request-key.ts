import { createHash } from "node:crypto";
import type { CompileRequest } from "../../../ports/cue.ts";

/** SHA-256 in hex of a request, its files left out: bound config with all places, what the modules are called, and what is asked. */
export function keyOfRequest({ config, modules, ...asked }: CompileRequest): string {
  const { trace = false, check = false, definitions = [] } = asked;
  const names = modules.map(({ display }) => display);
  return digest(
    "request",
    ...[config, names, trace, check, definitions].map((each) => JSON.stringify(each)),
  );
}

/** SHA-256 in hex of some texts, which no other texts make. */
export function digest(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
