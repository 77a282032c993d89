import { Worker } from "node:worker_threads";
import { UserError } from "../../errors.ts";
import type { Compilation } from "../../model/compilation.ts";
import { failed, type Problem, type Result } from "../../model/problem.ts";
import type { CompileRequest, Compiler } from "../../ports.ts";
import { outputLimits, timeVariable } from "./limits.ts";
import type { FromWorker, WorkerData } from "./messages.ts";

export interface CompilerOptions {
  /** The module that calls serveCompilations. */
  readonly script: URL;
  /** Where cue.wasm.zst is. */
  readonly wasm: URL;
  /** Milliseconds for one compilation; an error is what every compilation then ends with. */
  readonly timeLimit?: number | UserError | undefined;
}

/** Why a compilation has no result. */
type Stop = "time" | "nesting" | "memory" | "size";

/** Spec §10. */
const defaultTimeLimit = 60_000;
/** The engine's memory is limited in its own module; this is for the TypeScript beside it. */
const heapLimitMb = 1_024;
/** Go's calls are calls of WebAssembly, which take their room from the thread's stack. */
const stackSizeMb = 64;

/**
 * Compiles in a worker thread, which starts at once so that unpacking the engine overlaps whatever comes before the
 * first request. A run-away evaluation is stopped with its thread; the next one gets a new thread.
 */
export function createCompiler(options: CompilerOptions): Compiler {
  let worker: Worker | undefined = start(options);
  let queue: Promise<unknown> = Promise.resolve();
  const { timeLimit = defaultTimeLimit } = options;
  const compile = async (request: CompileRequest): Promise<Result<Compilation>> => {
    if (timeLimit instanceof UserError) return failed(timeLimit.problems);
    worker ??= start(options);
    const outcome = await converse(worker, request, timeLimit);
    if (outcome.keep) return outcome.result;
    await worker.terminate();
    worker = undefined;
    return outcome.result;
  };
  return {
    compile(request) {
      const result = queue.then(() => compile(request));
      queue = result.catch(() => {});
      return result;
    },
    async close() {
      await worker?.terminate();
      worker = undefined;
    },
  };
}

function start({ script, wasm }: CompilerOptions): Worker {
  const workerData: WorkerData = { wasm: wasm.href };
  const resourceLimits = { maxOldGenerationSizeMb: heapLimitMb, stackSizeMb };
  const worker = new Worker(script, { workerData, resourceLimits });
  // A program that never compiles anything ends without waiting for the thread.
  worker.unref();
  return worker;
}

interface Outcome {
  readonly result: Result<Compilation>;
  readonly keep: boolean;
}

/** One request and its answer, the end of the time, or the end of the worker. Rejects for bugs. */
function converse(worker: Worker, request: CompileRequest, limit: number): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  let evaluating: string | undefined;
  const stop = (why: Stop) =>
    resolve({ keep: false, result: failed([stopped(why, request, evaluating, limit)]) });
  const timer = setTimeout(() => stop("time"), limit);
  const onMessage = (message: FromWorker) => {
    if (message.type === "evaluating") evaluating = message.adapter;
    if (message.type === "compiled") resolve({ keep: true, result: message.result });
    if (message.type === "failed") stop(message.reason);
    if (message.type === "crashed") reject(new Error(message.text));
  };
  const onError = (error: Error & { code?: string }) =>
    error.code === "ERR_WORKER_OUT_OF_MEMORY" ? stop("memory") : reject(error);
  const onExit = () => reject(new Error("the worker ended before it answered"));
  worker.ref();
  // A result that is nested too deeply cannot be taken over from the other thread.
  const onUnreadable = () => stop("nesting");
  worker.on("message", onMessage).on("error", onError).on("messageerror", onUnreadable);
  worker.on("exit", onExit);
  worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", onMessage).off("error", onError).off("messageerror", onUnreadable);
    worker.off("exit", onExit).unref();
  });
}

/**
 * Blames the adapter that was evaluated last, at the places where the config uses it; before the first, all of them. In a
 * composite it is called "PATTERN → COMPOSITE → …".
 */
function stopped(
  why: Stop,
  { config }: CompileRequest,
  evaluating: string | undefined,
  limit: number,
): Problem {
  const blamed = evaluating?.split(" → ")[0];
  const uses = config.designPatterns.filter((use) => use.pattern === blamed);
  const suspects = uses.length > 0 ? uses : config.designPatterns;
  const names = uses.length > 0 ? `"${evaluating}"` : namesOf(suspects);
  return { where: suspects.map((use) => use.where), ...explanations(names, limit)[why] };
}

function namesOf(uses: CompileRequest["config"]["designPatterns"]): string {
  return [...new Set(uses.map(({ pattern }) => `"${pattern}"`))].join(", ");
}

function explanations(names: string, limit: number): Record<Stop, Pick<Problem, "what" | "fix">> {
  return {
    time: {
      what: `evaluating ${names} took more than ${limit / 1000} s and was stopped`,
      fix: `Look in the adapter for a comprehension or a list that grows with its own result, or for a range that is too large; ${timeVariable}=SECONDS gives it more time`,
    },
    nesting: {
      what: `evaluating ${names} goes deeper and deeper and was stopped`,
      fix: "Look in the adapter for a definition that contains itself without an end, or for structs nested hundreds of levels deep",
    },
    size: {
      what: `evaluating ${names} makes more than ${outputLimits.total / (1 << 20)} MiB of JSON and was stopped`,
      fix: "Look in the adapter for a comprehension or a text that grows without an end, or use it with fewer resources at a time",
    },
    memory: {
      what: `evaluating ${names} needs more than 2 GiB and was stopped`,
      fix: "Look in the adapter for a comprehension or a list that grows without an end, or use it with fewer resources at a time",
    },
  };
}
