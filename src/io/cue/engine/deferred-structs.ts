import { fieldOf, isList, isObject, type Json } from "../../../model/json.ts";
import type { Position } from "../../../model/problems/problem.ts";
import type { Cue, CueResult, CueValue, SourcedJson } from "../../../ports/cue.ts";
import { type OutputCount, tooLargeMessage } from "../failure.ts";

/**
 * Returns a Cue that keeps structs of JSON outside of the engine until an operation needs CUE, such
 * as unification. `openEngine` returns the Cue of the engine, and is called at the first such
 * operation. All results equal those of the engine. Handles of JSON are negative.
 */
export function deferStructs(openEngine: () => Cue, output: OutputCount): Cue {
  let opened: Cue | undefined;
  const open = (): Cue => {
    opened ??= openEngine();
    return opened;
  };
  const values: Deferred[] = [];
  const add = (value: Deferred): CueValue => -values.push(value) as CueValue;
  const deferred = (value: CueValue): Deferred | undefined => values[-value - 1];
  const part = (value: CueValue): JsonPart | undefined => {
    const found = deferred(value);
    return found instanceof JsonPart ? found : undefined;
  };
  /** Returns the value in the engine. */
  const real = (value: CueValue): CueValue => deferred(value)?.inEngine(open()) ?? value;
  const lookUp = (value: CueValue, path: readonly string[]): CueValue | undefined => {
    const from = deferred(value);
    const found = from?.below(path);
    if (found instanceof JsonPart) return found === from ? value : add(found);
    if (from !== undefined && found === "absent") return undefined;
    return open().lookup(real(value), path);
  };
  return {
    load: (importPath) => open().load(importPath),
    lookup: lookUp,
    fields: (value) => open().fields(real(value)),
    elements: (value) => part(value)?.elements().map(add) ?? open().elements(real(value)),
    fill: (value, path, addition) => open().fill(real(value), path, real(addition)),
    unify: (a, b) => open().unify(real(a), real(b)),
    struct: (fields) => add(new JsonStruct(fields)),
    validate: (value, concrete) => open().validate(real(value), concrete),
    fault: (value) => open().fault(real(value)),
    same: (a, b) => open().same(real(a), real(b)),
    export: (value) => part(value)?.export(output) ?? open().export(real(value)),
    bytes: (value) => (part(value) === undefined ? open().bytes(real(value)) : []),
    position(value) {
      const found = part(value);
      return found === undefined ? open().position(real(value)) : found.position();
    },
    trace: (value, adapter) => open().trace(real(value), real(adapter)),
    definition: (value) => open().definition(real(value)),
    packages: () => open().packages(),
    blame: (value, adapter) => open().blame(real(value), adapter),
    describe: (importPath, pattern) => open().describe(importPath, real(pattern)),
    adapters: () => open().adapters(),
    // Without an engine, no package is loaded.
    files: () => opened?.files() ?? [],
    notices: () => opened?.notices() ?? [],
    strays: () => opened?.strays() ?? [],
  };
}

/** A value of JSON that the engine doesn't know yet. */
interface Deferred {
  inEngine(cue: Cue): CueValue;
  /** Returns the part at a path; undefined if only the engine knows it. */
  below(path: readonly string[]): JsonPart | "absent" | undefined;
}

/** A struct of fields. The engine receives only the fields that it needs. */
class JsonStruct implements Deferred {
  readonly #fields: ReadonlyMap<string, SourcedJson>;
  readonly #sent = new Map<string, CueValue>();
  readonly #parts = new Map<string, JsonPart | undefined>();
  #whole: CueValue | undefined;
  /**
   * The number of fields that the engine receives next. It doubles each time, so that a struct with
   * many needed fields takes few requests.
   */
  #count = 1;

  constructor(fields: Readonly<Record<string, SourcedJson>>) {
    this.#fields = new Map(Object.entries(fields));
  }

  inEngine(cue: Cue): CueValue {
    this.#whole ??= cue.struct(Object.fromEntries(this.#fields));
    return this.#whole;
  }

  below([name, ...path]: readonly string[]): JsonPart | "absent" | undefined {
    if (name === undefined) return undefined;
    const field = this.#fields.get(name);
    if (field === undefined) return "absent";
    const known = this.#parts.get(name);
    const part = known ?? (isExact(field.value) ? new JsonPart(this, name, field) : undefined);
    this.#parts.set(name, part);
    return part?.below(path);
  }

  /** Returns a field in the engine. */
  fieldInEngine(name: string, cue: Cue): CueValue {
    const within = this.#whole ?? this.#sent.get(name) ?? this.#send(name, cue);
    const found = cue.lookup(within, [name]);
    if (found === undefined) throw new Error(`the engine has no field ${JSON.stringify(name)}`);
    return found;
  }

  #send(name: string, cue: Cue): CueValue {
    const names = [...this.#fields.keys()].filter((each) => !this.#sent.has(each));
    const from = names.indexOf(name);
    const next = names.slice(from, from + this.#count);
    this.#count *= 2;
    const fields = next.map((each) => [each, this.#fields.get(each) as SourcedJson] as const);
    const struct = cue.struct(Object.fromEntries(fields));
    for (const each of next) this.#sent.set(each, struct);
    return struct;
  }
}

/** A field of a struct, or a part of it. */
class JsonPart implements Deferred {
  readonly #struct: JsonStruct;
  readonly #name: string;
  readonly #field: SourcedJson;
  readonly #path: readonly string[];
  readonly #value: Json;
  #known: CueValue | undefined;

  constructor(
    struct: JsonStruct,
    name: string,
    field: SourcedJson,
    path: readonly string[] = [],
    value = field.value,
  ) {
    this.#struct = struct;
    this.#name = name;
    this.#field = field;
    this.#path = path;
    this.#value = value;
  }

  inEngine(cue: Cue): CueValue {
    if (this.#known !== undefined) return this.#known;
    const field = this.#struct.fieldInEngine(this.#name, cue);
    this.#known = this.#path.reduce((value, step) => stepInEngine(value, step, cue), field);
    return this.#known;
  }

  below(path: readonly string[]): JsonPart | "absent" {
    let value = this.#value;
    for (const step of path) {
      const child = isObject(value) ? fieldOf(value, step) : undefined;
      if (child === undefined) return "absent";
      value = child;
    }
    return path.length === 0 ? this : this.#inner(path, value);
  }

  elements(): readonly JsonPart[] {
    const value = this.#value;
    return isList(value) ? value.map((item, index) => this.#inner([String(index)], item)) : [];
  }

  #inner(path: readonly string[], value: Json): JsonPart {
    return new JsonPart(this.#struct, this.#name, this.#field, [...this.#path, ...path], value);
  }

  /** Returns a copy without shared parts, as the engine does. */
  export(output: OutputCount): CueResult<Json> {
    const text = JSON.stringify(this.#value);
    const answer = engineAnswer(text);
    if (Buffer.byteLength(answer) > output.limits.value) {
      const position = this.position();
      const positions = position === undefined ? [] : [position];
      const message = tooLargeMessage(output.limits);
      return { ok: false, errors: [{ message, path: [], positions }] };
    }
    output.add(answer.length);
    return { ok: true, value: JSON.parse(text) };
  }

  /** Returns the place of this part, or else of the nearest surrounding one. */
  position(): Position | undefined {
    const { where, places = [] } = this.#field;
    if (this.#path.length === 0) return enginePosition(where);
    const isAround = (path: readonly string[]) =>
      path.length > 0 && path.every((step, index) => step === this.#path[index]);
    let [found, length] = [where, 0];
    for (const place of places) {
      if (place.path.length < length || !isAround(place.path)) continue;
      [found, length] = [place.where, place.path.length];
    }
    return enginePosition(found);
  }
}

function stepInEngine(value: CueValue, step: string, cue: Cue): CueValue {
  const found = cue.lookup(value, [step]) ?? cue.elements(value)[Number(step)];
  if (found === undefined) throw new Error(`the engine has no field ${JSON.stringify(step)}`);
  return found;
}

/** The number of columns that the engine distinguishes, as in engine/evaluator/struct.go. */
const lineWidth = 1 << 12;

function enginePosition({ file, line, column }: Position): Position | undefined {
  if (file === "") return undefined;
  return { file, line: Math.max(line, 1), column: Math.min(Math.max(column, 1), lineWidth) };
}

/** Returns the engine's answer with this JSON. Go escapes more characters than JavaScript. */
function engineAnswer(json: string): string {
  const escaped = json.replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `{"result":${escaped}}`;
}

/**
 * The levels of objects and lists in one value beyond which only the engine decides. It is below
 * the limit of exported values.
 */
const exactDepth = 100;

/**
 * Reports whether the engine exports a value unchanged. Numbers beyond 2^53 can lose digits, CUE
 * normalizes names that aren't ASCII, and the engine reports values that are nested too deeply.
 */
function isExact(value: Json, levels = exactDepth): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (isList(value)) return value.every((item) => isExact(item, levels - 1));
  return Object.entries(value).every(
    ([name, item]) => asciiName.test(name) && isExact(item, levels - 1),
  );
}

const asciiName = /^[ -~]*$/;
