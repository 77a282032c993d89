import { randomUUID } from "node:crypto";
import type { FileSource } from "../../ports/cue.ts";
import type { HelmRequest, KustomizeRequest, Renderer, Rendering } from "../../ports/render.ts";
import { type EngineInstance, type EngineProgram, instantiate } from "../cue/engine/instance.ts";
import { loadWasmNow } from "../cue/engine/lazy-program.ts";
import { NativeProgram, type OnProcess } from "../cue/engine/native.ts";
import { EngineFailure } from "../cue/failure.ts";
import { outputLimits } from "../cue/limits.ts";
import type { EngineFiles } from "../cue/messages.ts";
import { renderSources } from "./render-build.ts";

/** Receives the overlay or chart whose rendering starts. */
type OnRendering = (path: string) => void;

/** A renderer that keeps its engine between two requests. */
export interface WarmRenderer extends Renderer {
  /** Returns the memory of the kept engine in bytes, 0 without one. */
  usedMemory(): number;
}

/**
 * The maximum memory of a kept engine. It starts with 20 MiB, and a large chart adds 50 MiB of
 * garbage. A new engine starts in 60 ms, much faster than such a rendering.
 */
const maxKeptMemory = 64 << 20;

/**
 * Creates a renderer. The first request loads the engine with `load`. The next request after the
 * death of an engine starts another one, and so does the next request after an engine that has used
 * too much memory.
 */
export function createRenderer(load: () => EngineProgram, onRendering: OnRendering): WarmRenderer {
  let program: EngineProgram | undefined;
  let kept: EngineInstance | undefined;
  const render = <T>(sources: readonly FileSource[], request: object): Rendering<T> => {
    const roots = sources.map((files) => ({ display: "", files }));
    program ??= load();
    const instance = kept ?? instantiate(program, roots);
    instance.host.replace(roots);
    // A failure leaves the instance in an unknown state, so it is kept again only after an answer.
    kept = undefined;
    try {
      const answer = toAnswer<T>(instance.call(JSON.stringify(request), outputLimits.answer));
      if (instance.usedMemory() <= maxKeptMemory) kept = instance;
      else instance.close();
      return { ...answer, ...filesRead(instance) };
    } catch (error) {
      instance.close();
      return { ...exceededLimit(error), ...filesRead(instance) };
    }
  };
  return {
    usedMemory: () => kept?.usedMemory() ?? 0,
    renderKustomize({ files, directory, bases, origins }: KustomizeRequest) {
      onRendering(directory);
      const addresses = bases.map(({ address }) => address);
      // No file can contain the mark, so no path in a file leads from one tree to another.
      const request = { directory, bases: addresses, mark: randomUUID(), origins };
      const sources = [files, ...bases.map((base) => base.files)];
      return render(sources, { op: "kustomize", kustomize: request });
    },
    renderHelm({ files, ...request }: HelmRequest) {
      onRendering(request.chart);
      return render([files], { op: "helm", helm: request });
    },
  };
}

/** Returns the problem of an engine that died from a chart. Throws any other error. */
function exceededLimit(error: unknown): Pick<Rendering<never>, "result"> {
  if (!(error instanceof EngineFailure) || error.reason === "fault") throw error;
  const message =
    error.reason === "memory"
      ? "the rendering needs too much memory"
      : "the rendering nests without an end";
  return { result: { ok: false, problems: [{ code: "limit", message }] } };
}

function toAnswer<T>(text: string): Pick<Rendering<T>, "result" | "asked" | "crds"> {
  const { fault, problems, result, asked, crds } = JSON.parse(text);
  if (fault !== undefined) throw new EngineFailure(fault, "");
  return {
    result: problems === undefined ? { ok: true, value: result } : { ok: false, problems },
    ...(asked === undefined ? {} : { asked }),
    ...(crds === undefined ? {} : { crds }),
  };
}

/** Returns the questions of the last request, and the files that exist among them. */
function filesRead({
  host,
}: EngineInstance): Pick<Rendering<unknown>, "inputs" | "baseInputs" | "questions"> {
  const asked = host.asked();
  const found = asked.filter(
    (question) => question.ask === "text" && typeof host.answered(question) !== "number",
  );
  const [inputs = [], ...baseInputs] = host.files().map((_, index) =>
    found
      .filter(({ root }) => root === index)
      .map(({ path }) => path)
      .sort(),
  );
  const questions = asked.flatMap(({ root, path, ask }) =>
    ask === "files" ? [] : [{ root, path, ask }],
  );
  return { inputs, baseInputs, questions };
}

/**
 * Loads the render engine within this thread. A native program that can't be used is replaced by
 * WebAssembly.
 */
export function loadRenderEngine(
  { wasm, native }: EngineFiles,
  onProcess: OnProcess,
): EngineProgram {
  if (native !== undefined) {
    const program = new NativeProgram(native, renderSources, onProcess);
    if (program.isUsable()) return program;
  }
  return loadWasmNow(new URL(wasm));
}
