import { beforeAll, describe, expect, it } from "vitest";
import { deferStructs } from "../../../../../src/io/cue/engine/deferred-structs.ts";
import { openEngine } from "../../../../../src/io/cue/engine/engine.ts";
import { AnswerTooLarge, OutputCount } from "../../../../../src/io/cue/failure.ts";
import { outputLimits } from "../../../../../src/io/cue/limits.ts";
import type { Json } from "../../../../../src/model/json.ts";
import type { Cue, CueValue, SourcedJson } from "../../../../../src/ports/cue.ts";
import { compileWasm, load, moduleOf } from "../../../../support/cue/open.ts";

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

interface Opened {
  readonly cue: Cue;
  /** Reports whether an operation needed the engine. */
  isOpen(): boolean;
}

function openDeferred(limits = outputLimits): Opened {
  const output = new OutputCount(limits);
  let isOpen = false;
  const cue = deferStructs(() => {
    isOpen = true;
    return openEngine(module, modules, () => {}, output).cue;
  }, output);
  return { cue, isOpen: () => isOpen };
}

function openDirectly(limits = outputLimits): Cue {
  return openEngine(module, modules, () => {}, new OutputCount(limits)).cue;
}

const modules = [
  moduleOf({ "x/x.cue": "package x\nweb: {spec: {a: 1, b?: string}, kind: string}" }),
];

function sourced(value: Json, line = 1): SourcedJson {
  const where = { file: "web.yaml", line, column: 3 };
  const places = [
    { path: ["a"], given: [], where: { file: "web.yaml", line: line + 1, column: 5000 } },
    { path: ["a", "b"], given: [], where: { file: "other.yaml", line: 700, column: 0 } },
    { path: ["a", "1"], given: [], where: { file: "web.yaml", line: 0, column: 2 } },
    { path: [], given: [], where: { file: "ignored.yaml", line: 1, column: 1 } },
  ];
  return { value, where, places };
}

/** Describes a value and all its parts, as a compilation reads them. */
function describeValue(cue: Cue, value: CueValue, levels = 3): unknown {
  const exported = cue.export(value);
  const names =
    exported.ok && typeof exported.value === "object" && exported.value !== null
      ? Object.keys(exported.value)
      : [];
  const inner = (part: CueValue | undefined) =>
    part === undefined ? "absent" : levels === 0 ? "" : describeValue(cue, part, levels - 1);
  return {
    exported,
    // The order of fields decides about the order of the manifest.
    text: JSON.stringify(exported),
    position: JSON.stringify(cue.position(value)),
    bytes: cue.bytes(value),
    fields: names.map((name) => inner(cue.lookup(value, [name]))),
    deep: inner(cue.lookup(value, ["a", "b"])),
    absent: inner(cue.lookup(value, ["absent"])),
    inherited: inner(cue.lookup(value, ["constructor"])),
    elements: cue.elements(value).map(inner),
  };
}

function nested(levels: number): Json {
  return levels === 0 ? "end" : { a: nested(levels - 1) };
}

/** Returns all characters of the Basic Multilingual Plane, in strings of 256. */
function allCharacters(): readonly string[] {
  return Array.from({ length: 256 }, (_, block) =>
    String.fromCharCode(...Array.from({ length: 256 }, (_, index) => block * 256 + index)),
  );
}

const unchanged: Readonly<Record<string, Json>> = {
  "an object": { kind: "A", a: { b: [1, "x", null, true, { c: [] }], "0": {} }, z: 1, "1": "" },
  "a list": { a: [[], [{}], "y"] },
  scalars: { a: "text", b: 0, c: -5, d: Number.MAX_SAFE_INTEGER, e: null, f: false },
  "names of CUE": { "#a": 1, _b: 2, "c d": 3, "": 4, string: 5, "a.b": 6, "?": 7 },
  "names of JavaScript": JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": {}}'),
  "texts of CUE": {
    a: '"\\(x)"',
    b: "'''",
    c: '"""\n',
    d: '#"',
    e: "\\u0041 \t\n\r",
    f: "e\u0301",
  },
  "characters that Go escapes": { a: "<a> & b\u2028\u2029 😀", "<&>": "" },
  "many levels": nested(95),
};

const special: Readonly<Record<string, Json>> = {
  fractions: { a: 0.1, b: -1.5, c: 1e-7, d: 1.7976931348623157e308 },
  "large numbers": { a: 2 ** 53, b: 12345678901234567000, c: 1e21, d: -0 },
  "an unpaired surrogate": { a: "\ud800", "\udc00": 1 },
  "a name that isn't normalized": { "o\u0308": 1 },
  "a name that isn't ASCII": { ö: 1 },
  "too many levels": nested(260),
  "more levels than usual": nested(120),
};

describe("a struct outside of the engine equals one in it", () => {
  it.each(Object.entries(unchanged))("for %s, without the engine", (_, value) => {
    const { cue, isOpen } = openDeferred();
    expect(inStruct(cue, value)).toEqual(inStruct(openDirectly(), value));
    expect(isOpen()).toBe(false);
  });

  it.each(Object.entries(special))("for %s, with the engine", (_, value) => {
    const { cue, isOpen } = openDeferred();
    expect(inStruct(cue, value)).toEqual(inStruct(openDirectly(), value));
    expect(isOpen()).toBe(true);
  });

  it("for all characters", () => {
    const [deferred, direct] = [openDeferred(), openDirectly()];
    for (const text of allCharacters()) {
      for (const value of [text, { [`name ${text}`]: text }])
        expect(exportOf(deferred.cue, value)).toEqual(exportOf(direct, value));
    }
  });

  function inStruct(cue: Cue, value: Json): unknown {
    const struct = cue.struct({ first: sourced({ a: 1 }), second: sourced(value, 40) });
    const found = cue.lookup(struct, ["second"]);
    return [
      describeValue(cue, found as CueValue),
      cue.lookup(struct, ["third"]),
      cue.lookup(struct, ["second", "absent"]),
    ];
  }

  function exportOf(cue: Cue, value: Json): unknown {
    const found = cue.lookup(cue.struct({ only: sourced(value) }), ["only"]);
    return cue.export(found as CueValue);
  }
});

it("an adapter can add to some of many objects", () => {
  const results = [openDeferred().cue, openDirectly()].map((cue) => {
    const names = Array.from({ length: 20 }, (_, index) => `web${index}`);
    const object = (index: number) => ({ kind: "Web", a: { b: index }, spec: { a: index % 2 } });
    const struct = cue.struct(
      Object.fromEntries(names.map((name, index) => [name, sourced(object(index), index + 1)])),
    );
    const addition = cue.lookup(load(cue), ["web"]) as CueValue;
    return names.map((name, index) => {
      const found = cue.lookup(struct, [name]) as CueValue;
      if (index % 3 === 0) return describeValue(cue, found);
      const part = cue.lookup(found, ["spec"]) as CueValue;
      const wrong = index % 2 === 0;
      const unified =
        index % 5 === 0 ? cue.fill(addition, ["spec"], part) : cue.unify(found, addition);
      expect(cue.validate(unified, false).length > 0).toBe(wrong);
      return [
        cue.validate(unified, true),
        cue.export(unified),
        cue.position(unified),
        cue.fields(found),
        cue.trace(found, found),
        cue.definition(found),
        cue.fault(found),
      ].map((each) => JSON.stringify([each]).replaceAll(/"value":\d+,"optional"/g, ""));
    });
  });
  expect(results[0]).toEqual(results[1]);
});

it("limits count as in the engine", () => {
  const text = "<é>".repeat(1000);
  const size = 11 + 2 + text.length + 2 * 5 * 1000;
  const count = (cue: Cue, values: number) => {
    const struct = cue.struct({ a: sourced(text) });
    const found = cue.lookup(struct, ["a"]) as CueValue;
    return Array.from({ length: values }, () => cue.export(found));
  };
  for (const open of [openDirectly, (limits: typeof outputLimits) => openDeferred(limits).cue]) {
    const total = { ...outputLimits, total: 2 * size };
    expect(count(open(total), 2).every(({ ok }) => ok)).toBe(true);
    expect(() => count(open(total), 3)).toThrow(AnswerTooLarge);
    // Each é has two bytes.
    const value = size + 1000;
    expect(count(open({ ...outputLimits, value }), 1)).toMatchObject([{ ok: true }]);
    expect(count(open({ ...outputLimits, value: value - 1 }), 1)).toEqual([
      {
        ok: false,
        errors: [
          {
            message: `the value is larger than ${(value - 1) / (1 << 20)} MiB`,
            path: [],
            positions: [{ file: "web.yaml", line: 1, column: 3 }],
          },
        ],
      },
    ]);
  }
});
