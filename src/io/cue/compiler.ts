import type { Compilation } from "../../model/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/description.ts";
import { UserError } from "../../model/problems/errors.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { CompileRequest, Compiler, CompilerRequest } from "../../ports/cue.ts";
import { type CompileCache, openCompileCache } from "./cache/compile-cache.ts";
import { keyOfRequest } from "./cache/request-key.ts";
import type { Outcome, Stop } from "./engine/worker.ts";
import type { InputsRead } from "./inputs-read.ts";
import { outputLimits, timeVariable } from "./limits.ts";
import { createMemoryCache } from "./memory-cache.ts";
import { type Pool, type PoolOptions, startPool, timeLimitOf } from "./pool.ts";

type Answer = (
  key: string,
  request: CompileRequest,
  kept: CompileCache | undefined,
) => Promise<Result<Compilation>>;

export interface CacheOptions {
  /**
   * The directory with the compilations of earlier runs, for `compileCached`; undefined for none.
   */
  readonly cache?: string | undefined;
}

/** Creates a compiler with worker threads. By default, the first thread starts with this call. */
export function createCompiler(options: PoolOptions & CacheOptions): Compiler {
  return compilerOver(startPool(options), options);
}

/** Creates a compiler over a pool that started earlier, while the program had no other work. */
export function compilerOver(pool: Pool, { cache: folder }: CacheOptions): Compiler {
  const { script, wasm } = pool.options;
  const own = createMemoryCache();
  const cache = folder === undefined ? undefined : openCompileCache(folder, [script, wasm]);
  const inTurn = createSerializer();
  const evaluate: Answer = async (key, request, kept) => {
    const { result, inputsRead } = await ask<Compilation>(pool, request);
    if (!result.ok || inputsRead === undefined) return result;
    const known = { inputsRead, compilation: result.value };
    own.add(key, known);
    await kept?.add(key, request, known);
    return result;
  };
  const answer: Answer = (key, request, kept) =>
    // The same config at another commit usually reads the same files, and then needs no evaluation.
    inTurn(key, async () => {
      const known = own.find(key, request) ?? (await kept?.find(key, request));
      return known === undefined ? evaluate(key, request, kept) : ok(known);
    });
  return {
    compile: (request) => answer(keyOfRequest(request), request, undefined),
    compileCached: (request) => answer(keyOfRequest(request), request, cache),
    describe: async (request) => (await ask<AdapterDescription | undefined>(pool, request)).result,
    list: async (request) => (await ask<readonly ModuleListing[]>(pool, request)).result,
    async close() {
      await pool.close();
      await cache?.close();
    },
  };
}

/** Sends a request to the pool. The caller chooses `T` according to the kind of the request. */
async function ask<T>(
  pool: Pool,
  request: CompilerRequest,
): Promise<{ readonly result: Result<T>; readonly inputsRead?: InputsRead | undefined }> {
  const { timeLimit } = pool.options;
  if (timeLimit instanceof UserError) return { result: failed(timeLimit.problems) };
  const outcome = await pool.ask(request);
  if (outcome.type === "stopped") {
    return { result: failed([stopped(outcome, request, timeLimitOf(pool.options))]) };
  }
  return { result: outcome.result as Result<T>, inputsRead: outcome.inputsRead };
}

/**
 * Returns the problem of a stopped evaluation. It blames the adapter that the engine evaluated
 * last, at the places where the config uses it.
 * If the engine stopped before the first adapter, the problem names all adapters. An adapter within
 * a composite is named `PATTERN → COMPOSITE → …`.
 */
function stopped(
  { why, evaluating }: Outcome & { type: "stopped" },
  request: CompilerRequest,
  limit: number,
): Problem {
  if (!("config" in request)) {
    const name = "describe" in request ? `"${request.describe}"` : "the modules";
    return { code: "evaluation-limit", where: [], ...explanations(name, limit)[why] };
  }
  const { config } = request;
  const blamed = evaluating?.split(" → ")[0];
  const uses = config.designPatterns.filter((use) => use.pattern === blamed);
  const suspects = uses.length > 0 ? uses : config.designPatterns;
  const names = uses.length > 0 ? `"${evaluating}"` : namesOf(suspects);
  const where = suspects.slice(0, mostPlaces).map((use) => use.where);
  return { code: "evaluation-limit", where, ...explanations(names, limit)[why] };
}

/** The maximum number of places in the problem. A config can use an adapter hundreds of times. */
const mostPlaces = 5;

function namesOf(uses: CompileRequest["config"]["designPatterns"]): string {
  return [...new Set(uses.map(({ pattern }) => `"${pattern}"`))].join(", ");
}

function explanations(names: string, limit: number): Record<Stop, Pick<Problem, "what" | "fix">> {
  return {
    time: {
      what: `evaluating ${names} took more than ${limit / 1000} s and was stopped`,
      fix: `Look in the adapter for a comprehension or a list that grows with its own result, or for a range that is too large; ${timeVariable}=SECONDS gives it more time`,
    },
    tries: {
      what: `evaluating ${names} was stopped several times with other params, and is not tried again in this run`,
      fix: `Look in the adapter for a comprehension or a list that grows with its own result, or for a range that is too large; ${timeVariable}=SECONDS gives each evaluation more time`,
    },
    nesting: {
      what: `evaluating ${names} nests without end and was stopped`,
      fix: "Look in the adapter for a definition that contains itself without an end, or for structs nested hundreds of levels deep",
    },
    size: {
      what: `evaluating ${names} produces more than ${outputLimits.total / (1 << 20)} MiB of JSON and was stopped`,
      fix: "Look in the adapter for a comprehension or a text that grows without an end, or use it with fewer resources at a time",
    },
    memory: {
      what: `evaluating ${names} needs more than 2 GiB and was stopped`,
      fix: "Look in the adapter for a comprehension or a list that grows without an end, or use it with fewer resources at a time",
    },
  };
}

/**
 * Returns a function that runs tasks with the same key one at a time, and other tasks concurrently.
 */
function createSerializer(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const done = result
      .catch(() => {})
      .then(() => {
        if (last.get(key) === done) last.delete(key);
      });
    last.set(key, done);
    return result;
  };
}
