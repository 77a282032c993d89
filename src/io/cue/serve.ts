import { parentPort, workerData } from "node:worker_threads";
import type { Compilation } from "../../model/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/description.ts";
import type { Result } from "../../model/problem.ts";
import type {
  CompileRequest,
  CompilerRequest,
  Cue,
  DescribeRequest,
  FileSource,
  ListRequest,
} from "../../ports.ts";
import { basisOf } from "./basis.ts";
import { type Blackboard, openBlackboard } from "./blackboard.ts";
import { askedBy, type OnEvaluating } from "./engine.ts";
import { type Engines, keepEngines, type OpenEngine } from "./engines.ts";
import { AnswerTooLarge, EngineFailure } from "./failure.ts";
import type { FromWorker, ToWorker, WorkerData } from "./messages.ts";
import { loadWasm } from "./wasm.ts";

/** What the compile stage does for each kind of request. */
export interface Stage {
  compile(request: CompileRequest, cue: Cue): Result<Compilation>;
  describe(request: DescribeRequest, cue: Cue): Result<AdapterDescription | undefined>;
  list(request: ListRequest, cue: Cue): Result<readonly ModuleListing[]>;
}

/** The worker's side: evaluates one request after the other with warm engines, for the Compiler on the main thread. */
export function serveCompilations(stage: Stage): void {
  const port = parentPort;
  if (port === null) throw new Error("serveCompilations runs in a worker thread only");
  const send = (message: FromWorker) => port.postMessage(message);
  const { wasm, evaluating } = workerData as WorkerData;
  const engines = openEngines(wasm, send);
  const board = openBlackboard(evaluating);
  const sources = new Map<number, FileSource>();
  port.on("message", (message: ToWorker) => {
    engines
      .then((opened) => {
        const request = requestOf(message, sources);
        send(answer(stage, request, opened, message.room, reporter(board)));
      })
      .catch((error: unknown) => send(failureOf(error)));
  });
}

/** The first worker unpacks the engine and hands it on to all others. */
async function openEngines(
  wasm: WorkerData["wasm"],
  send: (message: FromWorker) => void,
): Promise<Engines> {
  if (typeof wasm !== "string") return keepEngines(wasm);
  const module = await loadWasm(new URL(wasm));
  send({ type: "unpacked", module });
  return keepEngines(module);
}

function requestOf(message: ToWorker, sources: Map<number, FileSource>): CompilerRequest {
  for (const number of message.forget) sources.delete(number);
  for (const [number, source] of message.sources) sources.set(number, source);
  const modules = message.modules.map(({ display, source }) => {
    const files = sources.get(source);
    if (files === undefined) throw new Error(`source ${source} was never sent`);
    return { display, files };
  });
  return { ...message.asked, modules };
}

/**
 * What a new engine would make of the request. A warm one only gets there sooner: where it comes to a limit, earlier
 * evaluations may have used up a part of it, so a new one decides.
 */
function answer(
  stage: Stage,
  request: CompilerRequest,
  engines: Engines,
  room: number,
  onEvaluating: OnEvaluating,
): FromWorker {
  const first = engines.open(request.modules, onEvaluating);
  const done = attempt(stage, request, first);
  if (done !== undefined) return keepAfter(request, done, first, engines, room);
  const second = engines.openNew(request.modules, onEvaluating);
  const result = evaluate(stage, request, second.engine.cue);
  return keepAfter(request, result, second, engines, room);
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
  room: number,
): FromWorker {
  const { host, usedMemory } = engine.instance;
  const isKept = result.ok && "config" in request;
  const basis = isKept ? basisOf(askedBy(engine), host.answered) : undefined;
  if (!host.exhausted()) engines.keep(engine, room);
  return { type: "answered", result, held: usedMemory(), ...(basis && { basis }) };
}

/** Once per change. */
function reporter(board: Blackboard): OnEvaluating {
  let current = "";
  return (adapter) => {
    if (adapter === "" || adapter === current) return;
    current = adapter;
    board.write(adapter);
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
