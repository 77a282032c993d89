import { Worker } from "node:worker_threads";
import { type EvaluatingAdapter, openEvaluatingAdapter } from "../evaluating-adapter.ts";
import type { FromWorker, ToWorker, WorkerData } from "../messages.ts";

/** The outcome of one request. After a stop, the worker has to be replaced. */
export type WorkerOutcome =
  | Extract<FromWorker, { readonly type: "answered" }>
  /**
   * `evaluating` is the adapter at the time of the stop. `duration` is its time so far, in
   * milliseconds.
   */
  | {
      readonly type: "stopped";
      readonly why: StopReason;
      readonly evaluating: string | undefined;
      readonly duration: number;
    };

/**
 * The reason why a compilation has no result. `tries`: its adapter was stopped too often before.
 */
export type StopReason = "time" | "nesting" | "memory" | "size" | "tries";

/**
 * A thread with engines. It handles one request at a time. After a stop or a rejection, it has to
 * be replaced.
 */
export interface EngineWorker {
  /** Sends a request and returns its outcome. Rejects only for bugs. */
  ask(message: ToWorker, timeLimit: number): Promise<WorkerOutcome>;
  end(): Promise<void>;
}

/**
 * The heap limit for the TypeScript of the thread. The engine's module limits the engine's memory.
 * V8 also counts the engine's memory when it decides on a full garbage collection. The engine must
 * therefore reserve less than half of this limit.
 */
const heapLimitMb = 1_536;
/** The stack size of the thread. Calls in Go are WebAssembly calls, which use this stack. */
const stackSizeMb = 64;

/**
 * Starts a worker. `onReady` receives the compiled engine for other workers, unless `wasm` is a
 * compiled engine. With a native engine, it receives undefined.
 */
export function startWorker(
  script: URL,
  data: Omit<WorkerData, "evaluating">,
  onReady: (module: WebAssembly.Module | undefined) => void,
): EngineWorker {
  const shared = openEvaluatingAdapter();
  const workerData: WorkerData = { ...data, evaluating: shared.memory };
  const resourceLimits = { maxOldGenerationSizeMb: heapLimitMb, stackSizeMb };
  const worker = new Worker(script, { workerData, resourceLimits });
  // Lets a program that never compiles anything end without waiting for the thread.
  worker.unref();
  const processes = new Set<number>();
  worker.on("message", (message: FromWorker) => {
    if (message.type === "ready") onReady(message.module);
    if (message.type !== "process") return;
    if (message.state === "started") processes.add(message.pid);
    else processes.delete(message.pid);
  });
  const endProcesses = () => {
    for (const pid of processes) endProcess(pid);
    processes.clear();
  };
  // The thread can exit before its first request. Then every request fails instead of waiting
  // without end.
  let exited: Error | undefined;
  worker.on("error", (error) => (exited ??= error));
  worker.on("exit", () => {
    exited ??= new Error(exitedEarly);
    endProcesses();
  });
  return {
    ask: (message, timeLimit) =>
      exited === undefined ? exchange(worker, shared, message, timeLimit) : Promise.reject(exited),
    end: async () => {
      // A thread that waits for its process ends only when the wait does.
      endProcesses();
      await worker.terminate();
    },
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

const exitedEarly = "the worker ended before it answered";

/** Sends one request. Waits for its answer, for the time limit, or for the end of the worker. */
function exchange(
  worker: Worker,
  shared: EvaluatingAdapter,
  message: ToWorker,
  limit: number,
): Promise<WorkerOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome>();
  shared.clear();
  const stop = (why: StopReason) =>
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
  // The main thread can't receive a result that is nested too deeply.
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
