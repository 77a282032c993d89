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
  /** The folder in which `compileCached` finds what earlier runs compiled; undefined for none. */
  readonly cache?: string | undefined;
}

/** Compiles in worker threads, of which the first starts with this call. */
export function createCompiler(options: PoolOptions & CacheOptions): Compiler {
  return compilerOver(startPool(options), options);
}

/** The compiler over a pool that was started before, when there was nothing else to do yet. */
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
    // The same config at another commit mostly reads the same files: then there is nothing more to do.
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

/** The answer is of the kind that the request asks for: `T` says which that is. */
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
 * Blames the adapter that was evaluated last, at the places where the config uses it; before the first, all of them. In a
 * composite it is called "PATTERN → COMPOSITE → …".
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

/** An adapter may be used hundreds of times; some of the places show which one is meant. */
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

/** Runs one piece of work after the other where they share a key, and all others side by side. */
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
