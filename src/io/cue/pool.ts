import type { UserError } from "../../errors.ts";
import type { CompilerRequest } from "../../ports.ts";
import { type EngineWorker, type Outcome, startWorker } from "./engine-worker.ts";
import {
  type HeldSources,
  holdSources,
  numberSources,
  type SourceNumbers,
} from "./numbered-sources.ts";
import { choose, needsWorker } from "./placement.ts";
import { hasRoomFor, mayIdle, roomOfEach } from "./room.ts";

export interface PoolOptions {
  /** The module that calls serveCompilations. */
  readonly script: URL;
  /** Where cue.wasm.zst is. */
  readonly wasm: URL;
  /** Milliseconds for one compilation; by default the minute that spec §10 names. An error is what every compilation ends with. */
  readonly timeLimit?: number | UserError | undefined;
  /** When the first worker starts; by default now. */
  readonly start?: "now" | "when asked" | undefined;
  /** Whether there may be one more beside so many workers; by default what the machine has room for. */
  readonly mayGrow?: ((workers: number) => boolean) | undefined;
}

/** Threads that compile, as many as there is work and room for. */
export interface Pool {
  readonly options: PoolOptions;
  /** Rejects for bugs. Requests are answered each by itself: what stops one stops no other. */
  ask(request: CompilerRequest): Promise<Outcome>;
  close(): Promise<void>;
}

interface Task {
  readonly request: CompilerRequest;
  readonly keys: readonly string[];
  resolve(outcome: Outcome): void;
  reject(reason: unknown): void;
}

interface Member {
  readonly worker: EngineWorker;
  readonly held: HeldSources;
  readonly warmth: Set<string>;
  busy: boolean;
}

/**
 * The first worker normally starts at once, so that unpacking the engine overlaps whatever comes before the first request. Others
 * start when requests wait, and get the engine from it as it is compiled. A run-away evaluation is stopped with its
 * thread, which was doing nothing else.
 */
export function startPool(options: PoolOptions): Pool {
  return new WorkerPool(options);
}

class WorkerPool implements Pool {
  readonly options: PoolOptions;
  readonly #numbers = numberSources();
  readonly #queue: Task[] = [];
  #members: readonly Member[] = [];
  #module: WebAssembly.Module | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    if (options.start !== "when asked") this.#grow();
  }

  ask(request: CompilerRequest): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new Error(ended));
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const keys = keysOf(request, this.#numbers);
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

  /** Gives idle workers something to do, and starts another one where that is worth it. */
  #dispatch(): void {
    if (this.#closed) return;
    if (this.#queue.length > 0 && this.#members.length === 0) this.#grow();
    for (const member of this.#members) if (!member.busy) this.#begin(member);
    if (!this.#shouldGrow()) return;
    this.#grow();
    this.#dispatch();
  }

  #shouldGrow(): boolean {
    const { mayGrow = hasRoomFor } = this.options;
    if (this.#module === undefined || this.#queue.length === 0) return false;
    const known = this.#members.map(({ warmth }) => warmth);
    return needsWorker(this.#queue, known) && mayGrow(this.#members.length);
  }

  #grow(): void {
    const { script, wasm } = this.options;
    const worker = startWorker(script, this.#module ?? wasm.href, (module) => {
      this.#module = module;
      this.#dispatch();
    });
    const held = holdSources(this.#numbers);
    this.#members = [...this.#members, { worker, held, warmth: new Set(), busy: false }];
  }

  #begin(member: Member): void {
    const others = this.#members.filter((other) => other !== member);
    const warmth = others.map((other) => other.warmth);
    const [task] = this.#queue.splice(choose(this.#queue, member.warmth, warmth), 1);
    if (task === undefined) return;
    member.busy = true;
    // Who is warm counts from now on, so that the others leave the same adapter to this one.
    for (const key of task.keys) member.warmth.add(key);
    void this.#carryOut(member, task).finally(() => this.#dispatch());
  }

  async #carryOut(member: Member, { request, resolve, reject }: Task): Promise<void> {
    try {
      const message = member.held.messageFor(request, roomOfEach(this.#members.length));
      const outcome = await member.worker.ask(message, timeLimitOf(this.options));
      if (outcome.type === "stopped") await this.#dismiss(member);
      resolve(outcome);
      if (outcome.type === "answered") await this.#giveBack(member, outcome.held ?? 0);
    } catch (error) {
      await this.#dismiss(member);
      reject(error);
    }
    member.busy = false;
  }

  /** WebAssembly memory never shrinks: it is free again when its thread ends. */
  async #giveBack(member: Member, held: number): Promise<void> {
    if (this.#queue.length === 0 && !mayIdle(held)) await this.#dismiss(member);
  }

  async #dismiss(member: Member): Promise<void> {
    this.#members = this.#members.filter((other) => other !== member);
    await member.worker.end();
  }
}

export function timeLimitOf({ timeLimit }: Pick<PoolOptions, "timeLimit">): number {
  return typeof timeLimit === "number" ? timeLimit : defaultTimeLimit;
}

const defaultTimeLimit = 60_000;

const ended = "the compiler was closed before it answered";

/** What makes an engine warm for a request: its modules, and each pattern in them. */
function keysOf(request: CompilerRequest, numbers: SourceNumbers): readonly string[] {
  const place = request.modules.map(({ files }) => numbers.number(files)).join(" ");
  return [...new Set(patternsOf(request).map((pattern) => `${place} ${pattern}`))];
}

function patternsOf(request: CompilerRequest): readonly string[] {
  if ("config" in request) return request.config.designPatterns.map(({ pattern }) => pattern);
  return "describe" in request ? [request.describe] : [""];
}
