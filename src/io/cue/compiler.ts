import { createHmac, randomBytes } from "node:crypto";
import { UserError } from "../../model/problems/errors.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/sources/description.ts";
import type { ChartRequest, CompileRequest, Compiler, CompilerRequest } from "../../ports/cue.ts";
import type { RenderedChart, RenderedKustomization, Rendering } from "../../ports/render.ts";
import { type CompileCache, createMemoryCache, openCompileCache } from "./cache/compile-cache.ts";
import { requestKey } from "./cache/sealed-store.ts";
import type { StopReason, WorkerOutcome } from "./engine/worker.ts";
import type { InputsRead } from "./inputs-read.ts";
import { outputLimits, timeLimitVariable } from "./limits.ts";
import { effectiveTimeLimit, type Pool, type PoolOptions, startPool } from "./pool.ts";

type CompileStep = (
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
  return createPoolCompiler(startPool(options), options);
}

/** Creates a compiler over a pool that started earlier, while the program had no other work. */
export function createPoolCompiler(pool: Pool, { cache: folder }: CacheOptions): Compiler {
  const { script, wasm } = pool.options;
  const own = createMemoryCache();
  const cache = folder === undefined ? undefined : openCompileCache(folder, [script, wasm]);
  const inTurn = createSerializer();
  const chance = drawChance();
  const evaluate: CompileStep = async (key, request, kept) => {
    const { result, inputsRead } = await ask<Compilation>(pool, request);
    if (!result.ok || inputsRead === undefined) return result;
    const known = { inputsRead, compilation: result.value };
    own.add(key, known);
    await kept?.add(key, request, known);
    return result;
  };
  const answer: CompileStep = (key, request, kept) =>
    // The same config at another commit usually reads the same files, and then needs no evaluation.
    inTurn(key, async () => {
      const known = own.find(key, request) ?? (await kept?.find(key, request));
      return known === undefined ? evaluate(key, request, kept) : ok(known);
    });
  return {
    compile: (request) => answer(requestKey(request), request, undefined),
    compileCached: (request) => answer(requestKey(request), request, cache),
    describe: async (request) => (await ask<AdapterDescription | undefined>(pool, request)).result,
    list: async (request) => (await ask<readonly ModuleListing[]>(pool, request)).result,
    render: async (request) => (await ask<Rendering<RenderedKustomization>>(pool, request)).result,
    renderChart: async ({ helm, modules, scope }) => {
      const request = { helm: { ...helm, ...chance(helm, scope) }, modules, scope };
      return (await ask<Rendering<RenderedChart>>(pool, request)).result;
    },
    async close() {
      await pool.close();
      await cache?.close();
    },
  };
}

/** The distance of the two clocks in milliseconds, so that years and hours differ. */
const laterBy = 1000 * 86_400_000 + 5_025_000;

/**
 * Draws the secrets and the clock of a run. A seed that others can guess would make passwords that
 * others can guess. The result derives the seeds of an entry from the secrets: two entries or two
 * deployments never share a password, and an entry keeps its values within a run.
 */
function drawChance() {
  const clock = Date.now();
  const [first, second] = [randomBytes(32), randomBytes(32)];
  return ({ chart, release, namespace }: ChartRequest["helm"], scope: ChartRequest["scope"]) => {
    const entry = JSON.stringify([scope, chart, release, namespace]);
    const seedFrom = (secret: Buffer) => createHmac("sha256", secret).update(entry).digest("hex");
    const compare = { seed: seedFrom(second), clock: clock + laterBy };
    return { seed: seedFrom(first), clock, compare };
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
    return { result: failed([stopped(outcome, request, effectiveTimeLimit(pool.options))]) };
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
  { why, evaluating }: WorkerOutcome & { type: "stopped" },
  request: CompilerRequest,
  limit: number,
): Problem {
  if (!("config" in request)) {
    const name = requestName(request);
    return { code: "evaluation-limit", where: [], ...explanations(name, limit)[why] };
  }
  const { config } = request;
  const blamed = evaluating?.split(" → ")[0];
  const uses = config.designPatterns.filter((use) => use.pattern === blamed);
  const suspects = uses.length > 0 ? uses : config.designPatterns;
  const names = uses.length > 0 ? `"${evaluating}"` : patternNames(suspects);
  const where = suspects.slice(0, maxPlaces).map((use) => use.where);
  return { code: "evaluation-limit", where, ...explanations(names, limit)[why] };
}

function requestName(request: Exclude<CompilerRequest, CompileRequest>): string {
  if ("describe" in request) return `"${request.describe}"`;
  if ("helm" in request) return `"${request.helm.chart}"`;
  return "kustomize" in request ? `"${request.kustomize}"` : "The modules";
}

/** The maximum number of places in the problem. A config can use an adapter hundreds of times. */
const maxPlaces = 5;

function patternNames(uses: CompileRequest["config"]["designPatterns"]): string {
  return [...new Set(uses.map(({ pattern }) => `"${pattern}"`))].join(", ");
}

type LimitExplanation = Pick<Problem, "what" | "why" | "fix" | "otherwise">;

function explanations(names: string, limit: number): Record<StopReason, LimitExplanation> {
  return {
    time: {
      what: `${names}: the evaluation took more than ${limit / 1000} s`,
      why: stoppedIt,
      fix: findGrowth,
      otherwise: [`allow more time: set ${timeLimitVariable}=SECONDS`],
    },
    tries: {
      what: `${names}: evaluations with other params were stopped several times`,
      why: "qvs doesn't evaluate it again in this run",
      fix: findGrowth,
      otherwise: [`allow more time for each evaluation: set ${timeLimitVariable}=SECONDS`],
    },
    nesting: {
      what: `${names}: the evaluation nests too deeply`,
      why: stoppedIt,
      fix: "Find the definition in the adapter that contains itself without an end, or the structs that are nested hundreds of levels deep",
    },
    size: {
      what: `${names}: the evaluation produces more than ${outputLimits.total / (1 << 20)} MiB of JSON`,
      why: stoppedIt,
      fix: "Find the comprehension or the string in the adapter that grows without an end",
      otherwise: ["use it with fewer resources at a time"],
    },
    memory: {
      what: `${names}: the evaluation needs more than 2 GiB of memory`,
      why: stoppedIt,
      fix: "Find the comprehension or the list in the adapter that grows without an end",
      otherwise: ["use it with fewer resources at a time"],
    },
  };
}

const stoppedIt = "qvs stopped the evaluation";

const findGrowth =
  "Find the comprehension or the list in the adapter that grows with its own result, or the range that is too large";

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
