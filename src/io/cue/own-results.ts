import type { Compilation } from "../../model/compilation.ts";
import type { CompileRequest } from "../../ports.ts";
import { askAgain, type Basis } from "./basis.ts";

export interface KnownResult {
  readonly basis: Basis;
  readonly compilation: Compilation;
}

/** What this run has compiled itself: a base commit differs from its head in few adapters. */
export interface OwnResults {
  /** The compilation of the same request from the same files. */
  find(key: string, request: CompileRequest): Compilation | undefined;
  add(key: string, result: KnownResult): void;
}

/** A long run must not grow for ever; some hundred deployments at two commits fit. */
const most = 1_000;

export function rememberResults(): OwnResults {
  const known = new Map<string, readonly KnownResult[]>();
  return {
    find: (key, { modules }) =>
      known.get(key)?.find(({ basis }) => askAgain(basis.questions, modules) === basis.answers)
        ?.compilation,
    add(key, result) {
      known.set(key, [...(known.get(key) ?? []), result].slice(-3));
      const oldest = known.size > most ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
    },
  };
}
