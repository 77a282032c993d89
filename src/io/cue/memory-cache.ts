import type { Compilation } from "../../model/compilation.ts";
import type { CompileRequest } from "../../ports/cue.ts";
import { currentAnswers, type InputsRead } from "./inputs-read.ts";

export interface CachedResult {
  readonly inputsRead: InputsRead;
  readonly compilation: Compilation;
}

/** What this run has compiled itself: a base commit differs from its head in few adapters. */
export interface MemoryCache {
  /** The compilation of the same request from the same files. */
  find(key: string, request: CompileRequest): Compilation | undefined;
  add(key: string, result: CachedResult): void;
}

/** A long run must not grow for ever; some hundred deployments at two commits fit. */
const most = 1_000;

export function createMemoryCache(): MemoryCache {
  const known = new Map<string, readonly CachedResult[]>();
  return {
    find: (key, { modules }) =>
      known
        .get(key)
        ?.find(
          ({ inputsRead }) => currentAnswers(inputsRead.questions, modules) === inputsRead.answers,
        )?.compilation,
    add(key, result) {
      known.set(key, [...(known.get(key) ?? []), result].slice(-3));
      const oldest = known.size > most ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
    },
  };
}
