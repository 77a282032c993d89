import { Worker } from "node:worker_threads";
import { type Blackboard, openBlackboard } from "./blackboard.ts";
import type { FromWorker, ToWorker, WorkerData } from "./messages.ts";

/** What became of one request. `worker` tells whether its thread can be asked again. */
export type Outcome =
  | Extract<FromWorker, { readonly type: "answered" }>
  /** It had to be stopped, while this adapter was evaluated. */
  | { readonly type: "stopped"; readonly why: Stop; readonly evaluating: string | undefined };

/** Why a compilation has no result. */
export type Stop = "time" | "nesting" | "memory" | "size";

/** A thread with engines. It is asked one thing at a time; after a Stop or a rejection it has to be replaced. */
export interface EngineWorker {
  /** Rejects for bugs. */
  ask(message: ToWorker, timeLimit: number): Promise<Outcome>;
  end(): Promise<void>;
}

/** The engine's memory is limited in its own module; this is for the TypeScript beside it. */
const heapLimitMb = 1_024;
/** Go's calls are calls of WebAssembly, which take their room from the thread's stack. */
const stackSizeMb = 64;

/** `onUnpacked` gets the engine for other workers, unless this one got it from them. */
export function startWorker(
  script: URL,
  wasm: WorkerData["wasm"],
  onUnpacked: (module: WebAssembly.Module) => void,
): EngineWorker {
  const board = openBlackboard();
  const workerData: WorkerData = { wasm, evaluating: board.memory };
  const resourceLimits = { maxOldGenerationSizeMb: heapLimitMb, stackSizeMb };
  const worker = new Worker(script, { workerData, resourceLimits });
  // A program that never compiles anything ends without waiting for the thread.
  worker.unref();
  worker.on("message", (message: FromWorker) => {
    if (message.type === "unpacked") onUnpacked(message.module);
  });
  // It may die before it is asked anything; whoever asks then is told, instead of waiting for ever.
  let death: Error | undefined;
  worker.on("error", (error) => (death ??= error));
  worker.on("exit", () => (death ??= new Error(endedEarly)));
  return {
    ask: (message, timeLimit) =>
      death === undefined ? converse(worker, board, message, timeLimit) : Promise.reject(death),
    end: async () => void (await worker.terminate()),
  };
}

const endedEarly = "the worker ended before it answered";

/** One request and its answer, the end of the time, or the end of the worker. */
function converse(
  worker: Worker,
  board: Blackboard,
  message: ToWorker,
  limit: number,
): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  board.wipe();
  const stop = (why: Stop) => resolve({ type: "stopped", why, evaluating: board.read() });
  const timer = setTimeout(() => stop("time"), limit);
  const onMessage = (answer: FromWorker) => {
    if (answer.type === "answered") resolve(answer);
    if (answer.type === "failed") stop(answer.reason);
    if (answer.type === "crashed") reject(new Error(answer.text));
  };
  const onError = (error: Error & { code?: string }) =>
    error.code === "ERR_WORKER_OUT_OF_MEMORY" ? stop("memory") : reject(error);
  const onExit = () => reject(new Error(endedEarly));
  worker.ref();
  // A result that is nested too deeply cannot be taken over from the other thread.
  const onUnreadable = () => stop("nesting");
  worker.on("message", onMessage).on("error", onError).on("messageerror", onUnreadable);
  worker.on("exit", onExit);
  worker.postMessage(message);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", onMessage).off("error", onError).off("messageerror", onUnreadable);
    worker.off("exit", onExit).unref();
  });
}
