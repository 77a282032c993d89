import type { Json } from "../../../model/json.ts";
import type { Position } from "../../../model/problems/problem.ts";
import type { ModuleListing } from "../../../model/sources/description.ts";
import type {
  Cue,
  CueDefinition,
  CueDescription,
  CueFault,
  CueField,
  CueLeaf,
  CueProblem,
  CueResult,
  CueValue,
  ModuleRoot,
  SourcedJson,
  StrayFile,
} from "../../../ports/cue.ts";
import { AnswerTooLarge, EngineFailure, OutputCount, tooLargeMessage } from "../failure.ts";
import type { FileQuestion } from "../inputs-read.ts";
import { outputLimits } from "../limits.ts";
import { listDirectories } from "../root-files.ts";
import { deferStructs } from "./deferred-structs.ts";
import { findPackages } from "./find-packages.ts";
import { type EngineInstance, type EngineProgram, instantiate } from "./instance.ts";

/** An open engine for a set of module roots. */
export interface Engine {
  readonly instance: EngineInstance;
  readonly cue: Cue;
}

/**
 * Receives the adapter whose evaluation starts: the import path of its package, and the composites
 * in it.
 */
export type OnEvaluating = (adapter: string) => void;

export function createCue(program: EngineProgram, roots: readonly ModuleRoot[]): Cue {
  const output = new OutputCount();
  const { cue } = openEngine(program, roots, () => {}, output);
  return deferStructs(() => cue, output);
}

export function openEngine(
  program: EngineProgram,
  roots: readonly ModuleRoot[],
  onEvaluating: OnEvaluating = () => {},
  output = new OutputCount(),
): Engine {
  const instance = instantiate(program, roots);
  const opened = request(instance, {
    op: "open",
    roots: roots.map((root) => ({ display: root.display })),
  });
  return { instance, cue: wrapInstance(instance, opened.problems ?? [], onEvaluating, output) };
}

/** Discards the values of the last evaluation. The loaded packages stay. */
export function resetEngine(
  engine: Engine,
  onEvaluating: OnEvaluating,
  output = new OutputCount(),
): Engine {
  const { instance } = engine;
  request(instance, { op: "begin" });
  return { instance, cue: wrapInstance(instance, [], onEvaluating, output) };
}

/**
 * Returns the questions behind the packages that were loaded since the engine was opened or last
 * began again.
 */
export function readQuestions({ instance }: Engine): readonly FileQuestion[] {
  return request(instance, { op: "asked" }).result as readonly FileQuestion[];
}

interface EngineAnswer {
  readonly result?: unknown;
  readonly problems?: readonly CueProblem[];
  readonly fault?: string;
}

function request(instance: EngineInstance, content: object): EngineAnswer {
  return parseAnswer(instance.call(JSON.stringify(content), outputLimits.answer));
}

function parseAnswer(text: string): EngineAnswer {
  const answer: EngineAnswer = JSON.parse(text);
  if (answer.fault !== undefined) throw new EngineFailure(answer.fault, "");
  return answer;
}

function wrapInstance(
  instance: EngineInstance,
  unreadable: readonly CueProblem[],
  onEvaluating: OnEvaluating,
  output: OutputCount,
): Cue {
  const exported = exporter(instance, output);
  const origins = new Map<CueValue, string>();
  /**
   * Asks the engine about a value. A timeout is blamed on the adapter that the value derives from.
   */
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
      const loaded = toResult<CueValue>(request(instance, { op: "load", import: importPath }));
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
    fault: (value) => ask<CueFault>(value, { op: "fault" }),
    same: (a, b) => ask<boolean | null>(a, { op: "same", other: b }) ?? false,
    export(value) {
      onEvaluating(origins.get(value) ?? "");
      return exported(value);
    },
    blame(value, adapter) {
      origins.set(value, adapter);
    },
    bytes: (value) => ask<readonly (readonly string[])[]>(value, { op: "bytes" }),
    position: (value) => ask<Position | null>(value, { op: "position" }) ?? undefined,
    trace: (value, adapter) =>
      unlessTooLarge(() =>
        ask<readonly CueLeaf[] | null>(value, { op: "trace", other: adapter }),
      ) ?? undefined,
    definition: (value) => ask<CueDefinition | null>(value, { op: "definition" }) ?? undefined,
    packages: () => findPackages(instance.host.files()),
    describe: (importPath, pattern) =>
      ask<CueDescription>(pattern, { op: "describe", import: importPath }),
    adapters() {
      if (unreadable.length > 0) return { ok: false, errors: unreadable };
      const folders = instance.host.files().map(listDirectories);
      return toResult<readonly ModuleListing[]>(request(instance, { op: "adapters", folders }));
    },
    files: () => request(instance, { op: "files" }).result as readonly string[],
    strays: () => (request(instance, { op: "strays" }).result ?? []) as readonly StrayFile[],
    notices: () => request(instance, { op: "notices" }).result as ReturnType<Cue["notices"]>,
  };
}

/** Returns a function that exports values. A value that is too large is an error of its adapter. */
function exporter(
  instance: EngineInstance,
  output: OutputCount,
): (value: CueValue) => CueResult<Json> {
  const { limits } = output;
  const refused = (value: CueValue, message: string): CueResult<Json> => {
    const { result } = request(instance, { op: "position", value });
    const positions = result === undefined ? [] : [result as Position];
    return { ok: false, errors: [{ message, path: [], positions }] };
  };
  return (value) => {
    const text = exportText(instance, value, limits.value);
    if (text === undefined) return refused(value, tooLargeMessage(limits));
    output.add(text.length);
    const answer = toResult<Json>(parseAnswer(text));
    return answer.ok && isDeeper(answer.value, limits.depth)
      ? refused(value, `the value is nested deeper than ${limits.depth} levels`)
      : answer;
  };
}

function exportText(
  instance: EngineInstance,
  value: CueValue,
  maxBytes: number,
): string | undefined {
  return unlessTooLarge(() => instance.call(JSON.stringify({ op: "export", value }), maxBytes));
}

function unlessTooLarge<T>(answer: () => T): T | undefined {
  try {
    return answer();
  } catch (error) {
    if (error instanceof AnswerTooLarge) return undefined;
    throw error;
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function toResult<T>(answer: EngineAnswer): CueResult<T> {
  return answer.problems === undefined
    ? { ok: true, value: answer.result as T }
    : { ok: false, errors: answer.problems };
}

function named(fields: Readonly<Record<string, SourcedJson>>) {
  return Object.entries(fields).map(([name, { value, where, places = [] }]) => ({
    name,
    value,
    where,
    places: places.map(({ path, where }) => ({ path, where })),
  }));
}
