import { parentPort, workerData } from "node:worker_threads";
import type { Compilation } from "../../model/compilation.ts";
import type { AdapterDescription, ModuleListing } from "../../model/description.ts";
import type { Result } from "../../model/problem.ts";
import type {
  CompileRequest,
  CompilerRequest,
  Cue,
  DescribeRequest,
  ListRequest,
} from "../../ports.ts";
import { beginAgain, type Engine, openEngine } from "./engine.ts";
import { EngineFailure } from "./failure.ts";
import type { FromWorker, WorkerData } from "./messages.ts";
import { loadWasm } from "./wasm.ts";

/** An engine that has grown beyond this is replaced: WebAssembly memory never shrinks. */
const growthLimit = 1 << 30;

/** What the compile stage does for each kind of request. */
export interface Stage {
  compile(request: CompileRequest, cue: Cue): Result<Compilation>;
  describe(request: DescribeRequest, cue: Cue): Result<AdapterDescription | undefined>;
  list(request: ListRequest, cue: Cue): Result<readonly ModuleListing[]>;
}

/** The worker's side: evaluates one request after the other with a warm engine, for the Compiler on the main thread. */
export function serveCompilations(stage: Stage): void {
  const port = parentPort;
  if (port === null) throw new Error("serveCompilations runs in a worker thread only");
  const send = (message: FromWorker) => port.postMessage(message);
  const module = loadWasm(new URL((workerData as WorkerData).wasm));
  let engine: Engine | undefined;
  port.on("message", (request: CompilerRequest) => {
    module
      .then((compiled) => {
        engine = engineFor(compiled, request, engine, reporter(send));
        send(answerOf(stage, request, engine.cue));
        if (engine.instance.memorySize() > growthLimit) engine = undefined;
      })
      .catch((error: unknown) => {
        engine = undefined;
        send(failureOf(error));
      });
  });
}

function answerOf(stage: Stage, request: CompilerRequest, cue: Cue): FromWorker {
  if ("config" in request) return { type: "compiled", result: stage.compile(request, cue) };
  if ("describe" in request) return { type: "described", result: stage.describe(request, cue) };
  return { type: "listed", result: stage.list(request, cue) };
}

/** The engine of the last request where every file is as it was, or else a new one. */
function engineFor(
  module: WebAssembly.Module,
  { modules }: CompilerRequest,
  last: Engine | undefined,
  onEvaluating: (importPath: string) => void,
): Engine {
  return last?.instance.host.continueWith(modules)
    ? beginAgain(last, onEvaluating)
    : openEngine(module, modules, onEvaluating);
}

/** Tells the main thread what is evaluated, once per change: after a time-out nobody is left to ask. */
function reporter(send: (message: FromWorker) => void): (importPath: string) => void {
  let current = "";
  return (importPath) => {
    if (importPath === "" || importPath === current) return;
    current = importPath;
    send({ type: "evaluating", importPath });
  };
}

function failureOf(error: unknown): FromWorker {
  if (error instanceof EngineFailure && error.reason !== "fault") {
    return { type: "failed", reason: error.reason };
  }
  if (error instanceof RangeError) return { type: "failed", reason: "nesting" };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "crashed", text };
}
