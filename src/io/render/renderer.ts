import type { FileSource } from "../../ports/cue.ts";
import type { HelmRequest, KustomizeRequest, Renderer, Rendering } from "../../ports/render.ts";
import { type EngineInstance, type EngineProgram, instantiate } from "../cue/engine/instance.ts";
import { EngineFailure } from "../cue/failure.ts";
import { outputLimits } from "../cue/limits.ts";

/** Receives the overlay or chart whose rendering starts. */
type OnRendering = (path: string) => void;

/**
 * Creates a renderer. The first request loads the engine with `load`. After an EngineFailure, the
 * next request starts another engine.
 */
export function createRenderer(load: () => EngineProgram, onRendering: OnRendering): Renderer {
  let program: EngineProgram | undefined;
  let kept: EngineInstance | undefined;
  const render = <T>(files: FileSource, request: object): Rendering<T> => {
    const roots = [{ display: "", files }];
    program ??= load();
    const instance = kept ?? instantiate(program, roots);
    instance.host.replace(roots);
    // A failure leaves the instance in an unknown state, so it is kept again only after an answer.
    kept = undefined;
    const answer = toAnswer<T>(instance.call(JSON.stringify(request), outputLimits.answer));
    kept = instance;
    return { ...answer, ...filesRead(instance) };
  };
  return {
    renderKustomize({ files, ...request }: KustomizeRequest) {
      onRendering(request.directory);
      return render(files, { op: "kustomize", kustomize: request });
    },
    renderHelm({ files, ...request }: HelmRequest) {
      onRendering(request.chart);
      return render(files, { op: "helm", helm: request });
    },
  };
}

function toAnswer<T>(text: string): Pick<Rendering<T>, "result"> {
  const { fault, problems, result } = JSON.parse(text);
  if (fault !== undefined) throw new EngineFailure(fault, "");
  return {
    result: problems === undefined ? { ok: true, value: result } : { ok: false, problems },
  };
}

/** Returns the questions of the last request, and the files that exist among them. */
function filesRead({ host }: EngineInstance): Pick<Rendering<unknown>, "inputs" | "questions"> {
  const asked = host.asked();
  const inputs = asked
    .filter((question) => question.ask === "text" && typeof host.answered(question) !== "number")
    .map(({ path }) => path);
  const questions = asked.flatMap(({ path, ask }) => (ask === "files" ? [] : [{ path, ask }]));
  return { inputs: inputs.sort(), questions };
}
