import { Worker } from "node:worker_threads";
import { type EvaluatingAdapter, openEvaluatingAdapter } from "../evaluating-adapter.ts";
import type { FromWorker, ToWorker, WorkerData } from "../messages.ts";

/** What became of one request. `worker` tells whether its thread can be asked again. */
export type Outcome =
  | Extract<FromWorker, { readonly type: "answered" }>
  /** It had to be stopped, while this adapter was evaluated; how long by itself, in milliseconds. */
  | {
      readonly type: "stopped";
      readonly why: Stop;
      readonly evaluating: string | undefined;
      readonly duration: number;
    };

/** Why a compilation has no result; `tries` where its adapter was stopped too often before. */
export type Stop = "time" | "nesting" | "memory" | "size" | "tries";

/** A thread with engines. It is asked one thing at a time; after a Stop or a rejection it has to be replaced. */
export interface EngineWorker {
  /** Rejects for bugs. */
  ask(message: ToWorker, timeLimit: number): Promise<Outcome>;
  end(): Promise<void>;
}

/**
 * The engine's memory is limited in its own module; this limit is for the TypeScript of the thread. V8 counts the engine's as well where
 * it decides when to collect everything: what is reserved for it has to be less than half of this.
 */
const heapLimitMb = 1_536;
/** Go's calls are WebAssembly calls, which use the thread's stack. */
const stackSizeMb = 64;

/** `onUnpacked` gets the engine for other workers, unless this one got it from them. */
export function startWorker(
  script: URL,
  wasm: WorkerData["wasm"],
  onUnpacked: (module: WebAssembly.Module) => void,
): EngineWorker {
  const shared = openEvaluatingAdapter();
  const workerData: WorkerData = { wasm, evaluating: shared.memory };
  const resourceLimits = { maxOldGenerationSizeMb: heapLimitMb, stackSizeMb };
  const worker = new Worker(script, { workerData, resourceLimits });
  // A program that never compiles anything ends without waiting for the thread.
  worker.unref();
  worker.on("message", (message: FromWorker) => {
    if (message.type === "unpacked") onUnpacked(message.module);
  });
  // It may exit before it is asked anything: then every request fails, instead of waiting for ever.
  let exited: Error | undefined;
  worker.on("error", (error) => (exited ??= error));
  worker.on("exit", () => (exited ??= new Error(exitedEarly)));
  return {
    ask: (message, timeLimit) =>
      exited === undefined ? exchange(worker, shared, message, timeLimit) : Promise.reject(exited),
    end: async () => void (await worker.terminate()),
  };
}

const exitedEarly = "the worker ended before it answered";

/** One request and its answer, the end of the time, or the end of the worker. */
function exchange(
  worker: Worker,
  shared: EvaluatingAdapter,
  message: ToWorker,
  limit: number,
): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  shared.clear();
  const stop = (why: Stop) =>
    resolve({ type: "stopped", why, evaluating: shared.read(), duration: shared.age() });
  const timer = setTimeout(() => stop("time"), limit);
  const onMessage = (answer: FromWorker) => {
    if (answer.type === "answered") resolve(answer);
    if (answer.type === "failed") stop(answer.reason);
    if (answer.type === "crashed") reject(new Error(answer.text));
  };
  const onError = (error: Error & { code?: string }) =>
    error.code === "ERR_WORKER_OUT_OF_MEMORY" ? stop("memory") : reject(error);
  const onExit = () => reject(new Error(exitedEarly));
  worker.ref();
  // A result that is nested too deeply cannot be received from the other thread.
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
