import { Worker } from "node:worker_threads";
import { failed, type Problem, type Result } from "../../model/problem.ts";
import type { Compiler, CompilerRequest } from "../../ports.ts";
import type { FromWorker, WorkerData } from "./messages.ts";

export interface CompilerOptions {
  /** The module that calls serveCompilations. */
  readonly script: URL;
  /** Where cue.wasm.zst is. */
  readonly wasm: URL;
  /** Milliseconds for one compilation. */
  readonly timeLimit?: number;
}

/** Why a compilation has no result. */
type Stop = "time" | "nesting" | "memory";

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
  const evaluate = async <T>(request: CompilerRequest): Promise<Result<T>> => {
    worker ??= start(options);
    const outcome = await converse<T>(worker, request, options.timeLimit ?? defaultTimeLimit);
    if (outcome.keep) return outcome.result;
    await worker.terminate();
    worker = undefined;
    return outcome.result;
  };
  const inTurn = <T>(request: CompilerRequest): Promise<Result<T>> => {
    const result = queue.then(() => evaluate<T>(request));
    queue = result.catch(() => {});
    return result;
  };
  return {
    compile: (request) => inTurn(request),
    describe: (request) => inTurn(request),
    list: (request) => inTurn(request),
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

interface Outcome<T> {
  readonly result: Result<T>;
  readonly keep: boolean;
}

/**
 * One request and its answer, the end of the time, or the end of the worker. Rejects for bugs. The answer is of the kind
 * that the request asks for: `T` says which that is.
 */
function converse<T>(worker: Worker, request: CompilerRequest, limit: number): Promise<Outcome<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<T>>();
  let evaluating: string | undefined;
  const stop = (why: Stop) =>
    resolve({ keep: false, result: failed([stopped(why, request, evaluating, limit)]) });
  const timer = setTimeout(() => stop("time"), limit);
  const onMessage = (message: FromWorker) => {
    if (message.type === "evaluating") evaluating = message.importPath;
    if ("result" in message) resolve({ keep: true, result: message.result as Result<T> });
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

/** Blames the adapter that was evaluated last, at the places where the config uses it; before the first, all of them. */
function stopped(
  why: Stop,
  request: CompilerRequest,
  evaluating: string | undefined,
  limit: number,
): Problem {
  if (!("config" in request)) {
    const name = "describe" in request ? `"${request.describe}"` : "the modules";
    return { where: [], ...explanations(name, limit)[why] };
  }
  const { config } = request;
  const uses = config.designPatterns.filter((use) => use.pattern === evaluating);
  const suspects = uses.length > 0 ? uses : config.designPatterns;
  const names = [...new Set(suspects.map((use) => `"${use.pattern}"`))].join(", ");
  return { where: suspects.map((use) => use.where), ...explanations(names, limit)[why] };
}

function explanations(names: string, limit: number): Record<Stop, Pick<Problem, "what" | "fix">> {
  return {
    time: {
      what: `evaluating ${names} took more than ${limit / 1000} s and was stopped`,
      fix: "Look in the adapter for a comprehension or a list that grows with its own result, or for a range that is too large",
    },
    nesting: {
      what: `evaluating ${names} goes deeper and deeper and was stopped`,
      fix: "Look in the adapter for a definition that contains itself without an end, or for structs nested hundreds of levels deep",
    },
    memory: {
      what: `evaluating ${names} needs more than 2 GiB and was stopped`,
      fix: "Look in the adapter for a comprehension or a list that grows without an end, or use it with fewer resources at a time",
    },
  };
}
