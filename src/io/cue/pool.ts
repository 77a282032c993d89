import { dirname, join } from "node:path";
import type { UserError } from "../../model/problems/errors.ts";
import type { CompilerRequest } from "../../ports/cue.ts";
import { type EngineWorker, startWorker, type WorkerOutcome } from "./engine/worker.ts";
import {
  type EngineFiles,
  numberSources,
  type SourceNumbers,
  trackWorkerSources,
  type WorkerSources,
  type WorkerStart,
} from "./messages.ts";
import { rememberStopped, requestPatterns, type StoppedAdapters } from "./stopped-adapters.ts";
import { canStartWorker, canStayIdle, memoryPerWorker } from "./worker-memory.ts";

export interface PoolOptions {
  /** The module that calls `serveCompilations`. */
  readonly script: URL;
  /** The location of cue.wasm.zst. */
  readonly wasm: URL;
  /** The path of a native engine, which is used if it starts and fits to this program. */
  readonly native?: string | undefined;
  /**
   * The time limit of one compilation in milliseconds. Default: one minute
   * (docs/reference/adapters.md#limits).
   * If it is an error, every compilation fails with it.
   */
  readonly timeLimit?: number | UserError | undefined;
  /** The start of the first worker. Default: `now`. */
  readonly start?: EngineStart | undefined;
  /**
   * Reports whether another worker can start in addition to this number of workers. Default:
   * depends on the machine's memory.
   */
  readonly mayGrow?: ((workers: number) => boolean) | undefined;
}

/**
 * The start of the first worker: now with the CUE engine, now without it, or with the first
 * request. A worker without the CUE engine loads it for the first request that needs it.
 */
export type EngineStart = "now" | "without engine" | "when asked";

/** Threads that compile, as many as there is work and memory for. */
export interface Pool {
  readonly options: PoolOptions;
  /** Compiles a request. Rejects only for bugs. A stop of one request stops no other. */
  ask(request: CompilerRequest): Promise<WorkerOutcome>;
  close(): Promise<void>;
}

interface QueuedRequest {
  readonly request: CompilerRequest;
  readonly keys: readonly string[];
  resolve(outcome: WorkerOutcome): void;
  reject(reason: unknown): void;
}

interface PoolMember {
  readonly worker: EngineWorker;
  readonly held: WorkerSources;
  readonly evaluated: Set<string>;
  busy: boolean;
}

/**
 * Starts a pool. Usually the first worker starts at once, so that it unpacks the engine before the
 * first request.
 * Other workers start when requests wait. They receive the compiled engine from the first worker.
 * The pool stops a runaway evaluation by ending its thread, which does nothing else.
 */
export function startPool(options: PoolOptions): Pool {
  return new WorkerPool(options);
}

class WorkerPool implements Pool {
  readonly options: PoolOptions;
  readonly #numbers = numberSources();
  readonly #queue: QueuedRequest[] = [];
  readonly #stopped: StoppedAdapters;
  #members: readonly PoolMember[] = [];
  /** The engine that the first worker unpacked. It stays undefined with a native engine. */
  #module: WebAssembly.Module | undefined;
  #ready = false;
  #closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.#stopped = rememberStopped(effectiveTimeLimit(options));
    const { start = "now" } = options;
    if (start !== "when asked") this.#grow(start === "now" ? "with engine" : "without engine");
  }

  ask(request: CompilerRequest): Promise<WorkerOutcome> {
    if (this.#closed) return Promise.reject(new Error(ended));
    const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome>();
    const keys = requestKeys(request, this.#numbers);
    this.#queue.push({ request, keys, resolve, reject });
    this.#dispatch();
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(new Error(ended));
    await Promise.all(this.#members.map(({ worker }) => worker.end()));
    this.#members = [];
  }

  /** Gives requests to idle workers. Starts another worker if that pays off. */
  #dispatch(): void {
    if (this.#closed) return;
    this.#answerStopped();
    if (this.#queue.length > 0 && this.#members.length === 0) this.#grow();
    for (const member of this.#members) if (!member.busy) this.#begin(member);
    if (!this.#shouldGrow()) return;
    this.#grow();
    this.#dispatch();
  }

  /** Answers requests without an evaluation if they would be stopped again. */
  #answerStopped(): void {
    const waiting = this.#queue.splice(0);
    for (const task of waiting) {
      const outcome = this.#stopped.find(task.request);
      if (outcome === undefined) this.#queue.push(task);
      else task.resolve(outcome);
    }
  }

  #shouldGrow(): boolean {
    const { mayGrow = canStartWorker } = this.options;
    if (!this.#ready || this.#queue.length === 0) return false;
    const known = this.#members.map(({ evaluated }) => evaluated);
    return needsAnotherWorker(this.#queue, known) && mayGrow(this.#members.length);
  }

  #grow(start: WorkerStart = "without engine"): void {
    const { script, wasm, native } = this.options;
    const engine = {
      wasm: this.#module ?? wasm.href,
      native,
      render: renderEngine({ wasm, native }),
      start,
    };
    const worker = startWorker(script, engine, (module) => {
      this.#module ??= module;
      this.#ready = true;
      this.#dispatch();
    });
    const held = trackWorkerSources(this.#numbers);
    this.#members = [...this.#members, { worker, held, evaluated: new Set(), busy: false }];
  }

  #begin(member: PoolMember): void {
    const others = this.#members.filter((other) => other !== member);
    const evaluated = others.map((other) => other.evaluated);
    const [task] = this.#queue.splice(nextRequest(this.#queue, member.evaluated, evaluated), 1);
    if (task === undefined) return;
    member.busy = true;
    // The keys count from now on, so that other workers leave the same adapter to this worker.
    for (const key of task.keys) member.evaluated.add(key);
    void this.#run(member, task).finally(() => this.#dispatch());
  }

  async #run(member: PoolMember, { request, resolve, reject }: QueuedRequest): Promise<void> {
    try {
      const message = member.held.messageFor(request, memoryPerWorker(this.#members.length));
      const outcome = await member.worker.ask(message, effectiveTimeLimit(this.options));
      if (outcome.type === "stopped") {
        this.#stopped.add(request, outcome);
        await this.#dismiss(member);
      }
      if (outcome.type === "answered") await this.#releaseMemory(member, outcome.memoryUsed ?? 0);
      resolve(outcome);
    } catch (error) {
      await this.#dismiss(member);
      reject(error);
    }
    member.busy = false;
  }

  /**
   * Ends an idle worker whose engines use too much memory. WebAssembly memory never shrinks, so
   * only the end of the thread frees it. It is free before the caller works with the result.
   */
  async #releaseMemory(member: PoolMember, held: number): Promise<void> {
    if (this.#queue.length === 0 && !canStayIdle(held)) await this.#dismiss(member);
  }

  async #dismiss(member: PoolMember): Promise<void> {
    this.#members = this.#members.filter((other) => other !== member);
    await member.worker.end();
  }
}

/** Returns the files of the render engine, which are next to those of the CUE engine. */
function renderEngine({ wasm, native }: Pick<PoolOptions, "wasm" | "native">): EngineFiles {
  return {
    wasm: new URL("render.wasm.zst", wasm).href,
    native: native === undefined ? undefined : join(dirname(native), "qvs-render"),
  };
}

export function effectiveTimeLimit({ timeLimit }: Pick<PoolOptions, "timeLimit">): number {
  return typeof timeLimit === "number" ? timeLimit : defaultTimeLimit;
}

const defaultTimeLimit = 60_000;

const ended = "the compiler was closed before it answered";

/**
 * Returns one key for each pattern of a request, with its modules. An engine is fast for a request
 * if it has evaluated all of them.
 */
function requestKeys(request: CompilerRequest, numbers: SourceNumbers): readonly string[] {
  const place = request.modules.map(({ files }) => numbers.number(files)).join(" ");
  return [...new Set(requestPatterns(request).map((pattern) => `${place} ${pattern}`))];
}

/** A waiting request: one key for each of its patterns, with its modules. */
export interface WaitingRequest {
  readonly keys: readonly string[];
}

/** The keys of all requests that the engines of a worker have evaluated so far. */
export type EvaluatedKeys = ReadonlySet<string>;

/**
 * The queue length beyond which another worker starts. This many evaluations of a known adapter
 * take as long as the start of a worker.
 */
const queueForAnotherWorker = 4;

/**
 * Returns the index of the request that an idle worker takes from `queue`, which isn't empty.
 * A request whose adapters this worker has evaluated is first, and one whose adapters no worker has
 * evaluated is second. Otherwise, the worker takes the last request, which would wait longest for
 * the worker that knows its adapters.
 * An adapter takes half a second in an engine that hasn't evaluated it before. It takes a tenth of
 * that in an engine that has.
 */
export function nextRequest(
  queue: readonly WaitingRequest[],
  own: EvaluatedKeys,
  others: readonly EvaluatedKeys[],
): number {
  const evaluatedHere = queue.findIndex(({ keys }) => keys.every((key) => own.has(key)));
  if (evaluatedHere >= 0) return evaluatedHere;
  const evaluatedNowhere = queue.findIndex(
    (each) => !others.some((evaluated) => hasEvaluated(each, evaluated)),
  );
  return evaluatedNowhere >= 0 ? evaluatedNowhere : queue.length - 1;
}

/**
 * Reports whether another worker pays off: no worker has evaluated a waiting adapter, or many
 * requests wait.
 */
export function needsAnotherWorker(
  queue: readonly WaitingRequest[],
  all: readonly EvaluatedKeys[],
): boolean {
  return (
    queue.length > queueForAnotherWorker ||
    queue.some((each) => !all.some((evaluated) => hasEvaluated(each, evaluated)))
  );
}

function hasEvaluated({ keys }: WaitingRequest, evaluated: EvaluatedKeys): boolean {
  return keys.every((key) => evaluated.has(key));
}
