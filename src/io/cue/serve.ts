import { parentPort, workerData } from "node:worker_threads";
import type { Compilation } from "../../model/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/description.ts";
import { ok, type Result } from "../../model/problems/problem.ts";
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
import { loadRenderEngine } from "../render/load-engine.ts";
import { createRenderer } from "../render/renderer.ts";
import { type OnEvaluating, readQuestions } from "./engine/engine.ts";
import { engineSources } from "./engine/engine-build.ts";
import { type Engines, keepEngines, type OpenEngine } from "./engine/engines.ts";
import { loadWasm } from "./engine/load-wasm.ts";
import { NativeProgram, type OnProcess } from "./engine/native.ts";
import { type EvaluatingAdapter, openEvaluatingAdapter } from "./evaluating-adapter.ts";
import { AnswerTooLarge, EngineFailure } from "./failure.ts";
import { toInputsRead } from "./inputs-read.ts";
import type { FromWorker, ToWorker, WorkerData } from "./messages.ts";

/** The compile stage, with one function for each kind of request. */
export interface CompileStage {
  compile(request: CompileRequest, cue: Cue, renderer: Renderer): Result<Compilation>;
  describe(request: DescribeRequest, cue: Cue): Result<AdapterDescription | undefined>;
  list(request: ListRequest, cue: Cue): Result<readonly ModuleListing[]>;
  /**
   * The request that an idle engine evaluates in advance. V8 compiles each function at its first
   * call. The engine unpacks itself 0.1 s faster than the main thread reads the program and the
   * config.
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
  const { wasm, native, render, evaluating } = workerData as WorkerData;
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
      return ok(renderer.renderKustomize({ files, directory: request.kustomize, bases }));
    },
  };
  let hasRequest = false;
  const engines = openEngines(wasm, native, send, onProcess).then((opened) => {
    if (!hasRequest && typeof wasm === "string") warmUp(stage, opened);
    return opened;
  });
  const sources = new Map<number, FileSource>();
  port.on("message", (message: ToWorker) => {
    hasRequest = true;
    engines
      .then((opened) => {
        const request = readRequest(message, sources);
        report = reporter(shared);
        send(answer(stage, request, opened, message.memoryLimit, report));
      })
      .catch((error: unknown) => send(toFailure(error)));
  });
}

/**
 * Returns the engines of this worker. The first worker unpacks the engine and passes it to all
 * others. A native engine that can't be used is replaced by WebAssembly.
 */
async function openEngines(
  wasm: WorkerData["wasm"],
  native: WorkerData["native"],
  send: (message: FromWorker) => void,
  onProcess: OnProcess,
): Promise<Engines> {
  if (native !== undefined) {
    const program = new NativeProgram(native, engineSources, onProcess);
    if (program.isUsable()) {
      send({ type: "ready", module: undefined });
      return keepEngines(program);
    }
  }
  if (typeof wasm !== "string") return keepEngines(wasm);
  const module = await loadWasm(new URL(wasm));
  send({ type: "ready", module });
  return keepEngines(module);
}

/**
 * Evaluates the sample in a separate engine. Drops the engine and its result, and ignores failures.
 */
function warmUp({ compile, sample }: WorkerStage, engines: Engines): void {
  try {
    const { engine } = engines.openNew(sample.modules, () => {});
    compile(sample, engine.cue);
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
  const first = engines.open(request.modules, onEvaluating);
  const done = attempt(stage, request, first);
  const finish = (result: Result<unknown>, opened: OpenEngine) =>
    finishRequest(request, result, opened, engines, {
      limit: memoryLimit,
      ofRenderer: stage.renderMemory(),
    });
  if (done !== undefined) return finish(done, first);
  const second = engines.openNew(request.modules, onEvaluating);
  const result = evaluate(stage, request, second.engine.cue);
  return finish(result, second);
}

/** Returns the result; undefined if only a new engine can decide. */
function attempt(
  stage: WorkerStage,
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

function evaluate(stage: WorkerStage, request: CompilerRequest, cue: Cue): Result<unknown> {
  if ("config" in request) return stage.compile(request, cue);
  if ("kustomize" in request || "helm" in request) return stage.render(request);
  return "describe" in request ? stage.describe(request, cue) : stage.list(request, cue);
}

function finishRequest(
  request: CompilerRequest,
  result: Result<unknown>,
  { engine }: OpenEngine,
  engines: Engines,
  memory: { readonly limit: number; readonly ofRenderer: number },
): FromWorker {
  const { host, usedMemory } = engine.instance;
  const isKept = result.ok && "config" in request;
  const inputsRead = isKept ? toInputsRead(readQuestions(engine), host.answered) : undefined;
  if (!host.exhausted()) engines.keep(engine, memory.limit - memory.ofRenderer);
  const memoryUsed = usedMemory() + memory.ofRenderer;
  return { type: "answered", result, memoryUsed, ...(inputsRead && { inputsRead }) };
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
