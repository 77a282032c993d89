import type { Json } from "../../model/json.ts";
import type { Position } from "../../model/problem.ts";
import type {
  Cue,
  CueField,
  CueProblem,
  CueResult,
  CueValue,
  ModuleRoot,
  SourcedJson,
} from "../../ports.ts";
import { EngineFailure } from "./failure.ts";
import { type Instance, instantiate } from "./instance.ts";

/** An engine with the module roots that it was opened for. */
export interface Engine {
  readonly instance: Instance;
  readonly cue: Cue;
}

/** Called with the import path of the package that is evaluated from now on. */
export type OnEvaluating = (importPath: string) => void;

export function createCue(module: WebAssembly.Module, roots: readonly ModuleRoot[]): Cue {
  const engine = openEngine(module, roots);
  return engine.cue;
}

export function openEngine(
  module: WebAssembly.Module,
  roots: readonly ModuleRoot[],
  onEvaluating: OnEvaluating = () => {},
): Engine {
  const instance = instantiate(module, roots);
  const opened = request(instance, {
    op: "open",
    roots: roots.map((root) => ({ path: root.path ?? "", display: root.display })),
  });
  return { instance, cue: cueOver(instance, opened.problems ?? [], onEvaluating) };
}

/** Forgets the values of the last evaluation; the packages that were loaded stay. */
export function beginAgain(engine: Engine, onEvaluating: OnEvaluating): Engine {
  const { instance } = engine;
  request(instance, { op: "begin" });
  return { instance, cue: cueOver(instance, [], onEvaluating) };
}

interface Answer {
  readonly result?: unknown;
  readonly problems?: readonly CueProblem[];
  readonly fault?: string;
}

function request(instance: Instance, content: object): Answer {
  const answer: Answer = JSON.parse(instance.call(JSON.stringify(content)));
  if (answer.fault !== undefined) throw new EngineFailure(answer.fault, "");
  return answer;
}

function cueOver(
  instance: Instance,
  unreadable: readonly CueProblem[],
  onEvaluating: OnEvaluating,
): Cue {
  const origins = new Map<CueValue, string>();
  /** What the engine works on is what this value was made from; a time-out is blamed on it. */
  const ask = <T>(of: CueValue, content: object): T => {
    onEvaluating(origins.get(of) ?? "");
    return request(instance, { value: of, ...content }).result as T;
  };
  const derived = (from: CueValue, value: CueValue): CueValue => {
    origins.set(value, origins.get(from) ?? "");
    return value;
  };
  return {
    load(importPath) {
      if (unreadable.length > 0) return { ok: false, errors: unreadable };
      onEvaluating(importPath);
      const loaded = resultOf<CueValue>(request(instance, { op: "load", import: importPath }));
      if (loaded.ok) origins.set(loaded.value, importPath);
      return loaded;
    },
    lookup(value, path) {
      const found = ask<CueValue>(value, { op: "lookup", path });
      return found === 0 ? undefined : derived(value, found);
    },
    fields(value) {
      const fields = ask<readonly CueField[]>(value, { op: "fields" });
      return fields.map((field) => ({
        ...field,
        value: derived(value, field.value),
        position: field.position,
      }));
    },
    elements: (value) =>
      (ask<readonly CueValue[] | null>(value, { op: "elements" }) ?? []).map((e) =>
        derived(value, e),
      ),
    fill: (value, path, addition) =>
      derived(value, ask<CueValue>(value, { op: "fill", path, other: addition })),
    unify: (a, b) => derived(a, ask<CueValue>(a, { op: "unify", other: b })),
    struct: (fields) =>
      request(instance, { op: "struct", fields: named(fields) }).result as CueValue,
    validate(value, concrete) {
      onEvaluating(origins.get(value) ?? "");
      return request(instance, { op: "validate", value, concrete }).problems ?? [];
    },
    fault(value) {
      onEvaluating(origins.get(value) ?? "");
      return request(instance, { op: "fault", value }).problems ?? [];
    },
    export(value) {
      onEvaluating(origins.get(value) ?? "");
      return resultOf<Json>(request(instance, { op: "export", value }));
    },
    bytes: (value) => ask<readonly (readonly string[])[]>(value, { op: "bytes" }),
    position: (value) => ask<Position | null>(value, { op: "position" }) ?? undefined,
    files: () => request(instance, { op: "files" }).result as readonly string[],
    notices: () => request(instance, { op: "notices" }).result as ReturnType<Cue["notices"]>,
  };
}

function resultOf<T>(answer: Answer): CueResult<T> {
  return answer.problems === undefined
    ? { ok: true, value: answer.result as T }
    : { ok: false, errors: answer.problems };
}

function named(fields: Readonly<Record<string, SourcedJson>>) {
  return Object.entries(fields).map(([name, { value, where }]) => ({ name, value, where }));
}
