import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { zstdDecompress } from "node:zlib";
import type { Compilation } from "../../model/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/description.ts";
import type { Result } from "../../model/problems/problem.ts";
import type {
  CompileRequest,
  CompilerRequest,
  Cue,
  DescribeRequest,
  FileSource,
  ListRequest,
} from "../../ports/cue.ts";
import { askedBy, type OnEvaluating } from "./engine/engine.ts";
import { type Engines, keepEngines, type OpenEngine } from "./engine/engines.ts";
import { type EvaluatingAdapter, openEvaluatingAdapter } from "./evaluating-adapter.ts";
import { AnswerTooLarge, EngineFailure } from "./failure.ts";
import { inputsReadOf } from "./inputs-read.ts";
import type { FromWorker, ToWorker, WorkerData } from "./messages.ts";

/** What the compile stage does for each kind of request. */
export interface Stage {
  compile(request: CompileRequest, cue: Cue): Result<Compilation>;
  describe(request: DescribeRequest, cue: Cue): Result<AdapterDescription | undefined>;
  list(request: ListRequest, cue: Cue): Result<readonly ModuleListing[]>;
  /** What an engine evaluates while nobody asks for anything: V8 compiles each function when it is called for the first time. */
  readonly sample: CompileRequest;
}

/** The worker's side: evaluates one request after the other with warm engines, for the Compiler on the main thread. */
export function serveCompilations(stage: Stage): void {
  const port = parentPort;
  if (port === null) throw new Error("serveCompilations runs in a worker thread only");
  const send = (message: FromWorker) => port.postMessage(message);
  const { wasm, evaluating } = workerData as WorkerData;
  let asked = false;
  const engines = openEngines(wasm, send).then((opened) => {
    if (!asked && typeof wasm === "string") warmUp(stage, opened);
    return opened;
  });
  const shared = openEvaluatingAdapter(evaluating);
  const sources = new Map<number, FileSource>();
  port.on("message", (message: ToWorker) => {
    asked = true;
    engines
      .then((opened) => {
        const request = requestOf(message, sources);
        send(answer(stage, request, opened, message.memoryLimit, reporter(shared)));
      })
      .catch((error: unknown) => send(failureOf(error)));
  });
}

/** The first worker unpacks the engine and passes it to all others. */
async function openEngines(
  wasm: WorkerData["wasm"],
  send: (message: FromWorker) => void,
): Promise<Engines> {
  if (typeof wasm !== "string") return keepEngines(wasm);
  const module = await loadWasm(new URL(wasm));
  send({ type: "unpacked", module });
  return keepEngines(module);
}

/** In an engine of its own, which is dropped: what it makes is of no interest, nor why it fails. */
function warmUp({ compile, sample }: Stage, engines: Engines): void {
  try {
    const { engine } = engines.openNew(sample.modules, () => {});
    compile(sample, engine.cue);
  } catch {
    // The first request fails as well then, and says why.
  }
}

function requestOf(message: ToWorker, sources: Map<number, FileSource>): CompilerRequest {
  for (const number of message.drop) sources.delete(number);
  for (const [number, source] of message.sources) sources.set(number, source);
  const modules = message.modules.map(({ display, source }) => {
    const files = sources.get(source);
    if (files === undefined) throw new Error(`source ${source} was never sent`);
    return { display, files };
  });
  return { ...message.asked, modules };
}

/**
 * The result is always that of a new engine. One that has evaluated before only gets there sooner: where it reaches a
 * limit, earlier evaluations may have used a part of it, so the request is repeated with a new one.
 */
function answer(
  stage: Stage,
  request: CompilerRequest,
  engines: Engines,
  memoryLimit: number,
  onEvaluating: OnEvaluating,
): FromWorker {
  const first = engines.open(request.modules, onEvaluating);
  const done = attempt(stage, request, first);
  if (done !== undefined) return keepAfter(request, done, first, engines, memoryLimit);
  const second = engines.openNew(request.modules, onEvaluating);
  const result = evaluate(stage, request, second.engine.cue);
  return keepAfter(request, result, second, engines, memoryLimit);
}

/** undefined when only a new engine can tell. */
function attempt(
  stage: Stage,
  request: CompilerRequest,
  { engine, warm }: OpenEngine,
): Result<unknown> | undefined {
  try {
    const result = evaluate(stage, request, engine.cue);
    return warm && engine.instance.host.exhausted() ? undefined : result;
  } catch (error) {
    if (warm && error instanceof EngineFailure && error.reason === "memory") return undefined;
    throw error;
  }
}

function evaluate(stage: Stage, request: CompilerRequest, cue: Cue): Result<unknown> {
  if ("config" in request) return stage.compile(request, cue);
  return "describe" in request ? stage.describe(request, cue) : stage.list(request, cue);
}

function keepAfter(
  request: CompilerRequest,
  result: Result<unknown>,
  { engine }: OpenEngine,
  engines: Engines,
  memoryLimit: number,
): FromWorker {
  const { host, usedMemory } = engine.instance;
  const isKept = result.ok && "config" in request;
  const inputsRead = isKept ? inputsReadOf(askedBy(engine), host.answered) : undefined;
  if (!host.exhausted()) engines.keep(engine, memoryLimit);
  return { type: "answered", result, held: usedMemory(), ...(inputsRead && { inputsRead }) };
}

/** Once per change. */
function reporter(shared: EvaluatingAdapter): OnEvaluating {
  let current = "";
  return (adapter) => {
    if (adapter === "" || adapter === current) return;
    current = adapter;
    shared.write(adapter);
  };
}

function failureOf(error: unknown): FromWorker {
  if (error instanceof EngineFailure && error.reason !== "fault") {
    return { type: "failed", reason: error.reason };
  }
  if (error instanceof AnswerTooLarge) return { type: "failed", reason: "size" };
  if (error instanceof RangeError) return { type: "failed", reason: "nesting" };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "crashed", text };
}

/**
 * V8 would check all 18,000 functions when it gets them, instead of the few that are called when they are; and it would compile
 * what is called often a second time, in the background, at the cost of a short evaluation on two cores. The budget is
 * one that nothing uses up in the first seconds, while hundreds of configs, or one with thousands of resources, take a fifth
 * less time for it.
 */
const flags = ["--wasm-lazy-validation", "--wasm-tiering-budget=100000000"] as const;

/** Room for all of it: Node unpacks into buffers of 16 KiB otherwise, and spends as long on joining them as on unpacking. */
const chunkSize = 64 << 20;

/** Unpacks and compiles the engine: about 90 ms, best spent while something else is awaited. */
export async function loadWasm(location: URL): Promise<WebAssembly.Module> {
  for (const flag of flags) setFlagsFromString(flag);
  const packed = await readFile(location);
  return WebAssembly.compile(await promisify(zstdDecompress)(packed, { chunkSize }));
}
