import { parentPort, workerData } from "node:worker_threads";
import { ok, type Result } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/sources/description.ts";
import type {
  CompileRequest,
  CompilerRequest,
  Cue,
  DescribeRequest,
  FileSource,
  ListRequest,
  RenderRequest,
} from "../../ports/cue.ts";
import type {
  HelmRequest,
  RenderedChart,
  RenderedKustomization,
  Renderer,
  Rendering,
} from "../../ports/render.ts";
import { createRenderer, loadRenderEngine } from "../render/renderer.ts";
import { deferStructs } from "./engine/deferred-structs.ts";
import { type OnEvaluating, readQuestions } from "./engine/engine.ts";
import { type Engines, keepEngines, type OpenEngine } from "./engine/engines.ts";
import { lazyProgram } from "./engine/lazy-program.ts";
import type { OnProcess } from "./engine/native.ts";
import { type EvaluatingAdapter, openEvaluatingAdapter } from "./evaluating-adapter.ts";
import { AnswerTooLarge, EngineFailure, OutputCount } from "./failure.ts";
import { type InputsRead, toInputsRead } from "./inputs-read.ts";
import type { FromWorker, ToWorker, WorkerData } from "./messages.ts";
import { missing } from "./root-files.ts";

/** The compile stage, with one function for each kind of request. */
export interface CompileStage {
  compile(request: CompileRequest, cue: Cue, renderer: Renderer): Result<Compilation>;
  describe(request: DescribeRequest, cue: Cue): Result<AdapterDescription | undefined>;
  list(request: ListRequest, cue: Cue): Result<readonly ModuleListing[]>;
  /**
   * The request that an idle engine in WebAssembly evaluates in advance, because V8 compiles each
   * function at its first call. A native engine would need a process of its own for it, which costs
   * more CPU time than it saves.
   */
  readonly sample: CompileRequest;
}

/** The compile stage of a worker, which has one renderer for all its requests. */
type WorkerStage = Omit<CompileStage, "compile"> & {
  /** Returns the memory of the render engine in bytes. */
  renderMemory(): number;
  compile(request: CompileRequest, cue: Cue): Result<Compilation>;
  render(request: RenderRequest): Result<Rendering<RenderedKustomization | RenderedChart>>;
};

/**
 * Serves the Compiler of the main thread in a worker thread. It evaluates one request at a time
 * with warm engines.
 */
export function serveCompilations({ compile, ...others }: CompileStage): void {
  const port = parentPort;
  if (port === null) throw new Error("serveCompilations runs in a worker thread only");
  const send = (message: FromWorker) => port.postMessage(message);
  const { wasm, native, render, evaluating, start } = workerData as WorkerData;
  const shared = openEvaluatingAdapter(evaluating);
  const onProcess: OnProcess = (pid, state) => send({ type: "process", pid, state });
  const load = () => loadRenderEngine(render, onProcess);
  let report: OnEvaluating = shared.write;
  const renderer = createRenderer(load, (path) => report(path));
  const stage: WorkerStage = {
    ...others,
    renderMemory: renderer.usedMemory,
    compile: (request, cue) => compile(request, cue, renderer),
    render: ({ modules: [root, ...others], ...request }) => {
      if (root === undefined) throw new Error("A rendering needs the files of a repository");
      const { files } = root;
      if ("helm" in request)
        return ok(renderer.renderHelm({ ...(request.helm as HelmRequest), files }));
      const bases = others.map((other, index) => ({
        address: request.bases[index] ?? "",
        files: other.files,
      }));
      const { kustomize: directory, origins } = request;
      return ok(renderer.renderKustomize({ files, directory, bases, origins }));
    },
  };
  const onLoaded = (module: WebAssembly.Module | undefined) => send({ type: "ready", module });
  const program = lazyProgram({ wasm, native }, onLoaded, onProcess);
  const engines = keepEngines(program.now);
  let hasRequest = false;
  if (start === "with engine") {
    program.load().then(
      () => {
        if (!hasRequest && typeof wasm === "string" && native === undefined) warmUp(stage, engines);
      },
      // The first request that needs the engine reports the error.
      () => {},
    );
  }
  const sources = new Map<number, FileSource>();
  port.on("message", (message: ToWorker) => {
    const isFirst = !hasRequest;
    hasRequest = true;
    const request = readRequest(message, sources);
    const needsEngine = usesAdapters(request);
    // Other workers wait for the unpacked engine of this one, unless it unpacks none.
    if (isFirst && start === "without engine" && !needsEngine) onLoaded(undefined);
    Promise.resolve(needsEngine ? program.load() : undefined)
      .then(() => {
        report = reporter(shared);
        send(answer(stage, request, engines, message.memoryLimit, report));
      })
      .catch((error: unknown) => send(toFailure(error)));
  });
}

/**
 * Reports whether a request surely needs the CUE engine. Any other request loads it only for a
 * value that the engine alone can export.
 */
function usesAdapters(request: CompilerRequest): boolean {
  if ("config" in request) return request.config.designPatterns.length > 0;
  return "describe" in request || "list" in request;
}

/**
 * Evaluates the sample in a separate engine. Drops the engine and its result, and ignores failures.
 */
function warmUp({ compile, sample }: WorkerStage, engines: Engines): void {
  try {
    const { cue } = openLazily((output) => engines.openNew(sample.modules, () => {}, output));
    compile(sample, cue);
  } catch {
    // The first request then fails too, and reports the reason.
  }
}

function readRequest(message: ToWorker, sources: Map<number, FileSource>): CompilerRequest {
  for (const number of message.drop) sources.delete(number);
  for (const [number, source] of message.sources) sources.set(number, source);
  const modules = message.modules.map(({ display, source }) => {
    const files = sources.get(source);
    if (files === undefined) throw new Error(`source ${source} was never sent`);
    return { display, files };
  });
  return { ...message.request, modules };
}

/** The engine of a request, which opens at the first operation that needs it. */
interface LazyEngine {
  readonly cue: Cue;
  /** Returns the engine if it was opened. */
  opened(): OpenEngine | undefined;
}

function openLazily(open: (output: OutputCount) => OpenEngine): LazyEngine {
  const output = new OutputCount();
  let opened: OpenEngine | undefined;
  const cue = deferStructs(() => {
    opened = open(output);
    return opened.engine.cue;
  }, output);
  return { cue, opened: () => opened };
}

/**
 * Evaluates a request. The result always equals the result of a new engine.
 * A warm engine is only faster. If it reaches a limit, earlier evaluations might have used a part
 * of that limit, so a new engine repeats the request.
 */
function answer(
  stage: WorkerStage,
  request: CompilerRequest,
  engines: Engines,
  memoryLimit: number,
  onEvaluating: OnEvaluating,
): FromWorker {
  const { modules } = request;
  const first = openLazily((output) => engines.open(modules, onEvaluating, output));
  const done = attempt(stage, request, first);
  const finish = (result: Result<unknown>, opened: OpenEngine | undefined) =>
    finishRequest(request, result, opened, engines, {
      limit: memoryLimit,
      ofRenderer: stage.renderMemory(),
    });
  if (done !== undefined) return finish(done, first.opened());
  const second = openLazily((output) => engines.openNew(modules, onEvaluating, output));
  const result = evaluate(stage, request, second.cue);
  return finish(result, second.opened());
}

/** Returns the result; undefined if only a new engine can decide. */
function attempt(
  stage: WorkerStage,
  request: CompilerRequest,
  { cue, opened }: LazyEngine,
): Result<unknown> | undefined {
  const isWarm = () => opened()?.warm === true;
  try {
    const result = evaluate(stage, request, cue);
    return isWarm() && opened()?.engine.instance.host.exhausted() ? undefined : result;
  } catch (error) {
    if (isWarm() && error instanceof EngineFailure && error.reason === "memory") return undefined;
    throw error;
  }
}

function evaluate(stage: WorkerStage, request: CompilerRequest, cue: Cue): Result<unknown> {
  if ("config" in request) return stage.compile(request, cue);
  if ("kustomize" in request || "helm" in request) return stage.render(request);
  return "describe" in request ? stage.describe(request, cue) : stage.list(request, cue);
}

function finishRequest(
  request: CompilerRequest,
  result: Result<unknown>,
  opened: OpenEngine | undefined,
  engines: Engines,
  memory: { readonly limit: number; readonly ofRenderer: number },
): FromWorker {
  const isKept = result.ok && "config" in request;
  const inputsRead = isKept ? inputsReadBy(opened) : undefined;
  const limit = memory.limit - memory.ofRenderer;
  const instance = opened?.engine.instance;
  if (instance?.host.exhausted() !== true) engines.keep(opened?.engine, limit);
  const ofEngine = instance === undefined ? engines.keptMemory() : instance.usedMemory();
  const memoryUsed = ofEngine + memory.ofRenderer;
  return { type: "answered", result, memoryUsed, ...(inputsRead && { inputsRead }) };
}

/** Returns the files that the engine read. Without an engine, the request alone decided. */
function inputsReadBy(opened: OpenEngine | undefined): InputsRead {
  if (opened === undefined) return toInputsRead([], () => missing);
  const { engine } = opened;
  return toInputsRead(readQuestions(engine), engine.instance.host.answered);
}

/** Returns a function that writes the adapter once per change. */
function reporter(shared: EvaluatingAdapter): OnEvaluating {
  let current = "";
  return (adapter) => {
    if (adapter === "" || adapter === current) return;
    current = adapter;
    shared.write(adapter);
  };
}

function toFailure(error: unknown): FromWorker {
  if (error instanceof EngineFailure && error.reason !== "fault") {
    return { type: "failed", reason: error.reason };
  }
  if (error instanceof AnswerTooLarge) return { type: "failed", reason: "size" };
  if (error instanceof RangeError) return { type: "failed", reason: "nesting" };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "crashed", text };
}
