import type { Compilation } from "../../model/compilation.ts";
import type { CompileRequest } from "../../ports/cue.ts";
import { currentAnswers, type InputsRead } from "./inputs-read.ts";

export interface CachedResult {
  readonly inputsRead: InputsRead;
  readonly compilation: Compilation;
}

/**
 * The compilations of this run. A base commit and its head share most of them, because they differ
 * in few adapters.
 */
export interface MemoryCache {
  /** Returns the compilation of the same request from the same files. */
  find(key: string, request: CompileRequest): Compilation | undefined;
  add(key: string, result: CachedResult): void;
}

/**
 * The maximum number of requests, which limits the memory of a long run. A few hundred deployments
 * at two commits fit.
 */
const maxRequests = 1_000;

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
      const oldest = known.size > maxRequests ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
    },
  };
}
