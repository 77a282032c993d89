import { beforeAll, describe, expect, it } from "vitest";
import { createTracer } from "../../../../src/report/trace/trace.ts";
import { type Adapters, compileTraced } from "../../../support/cue/compile-traced.ts";
import { compileWasm } from "../../../support/cue/open.ts";

interface Case {
  readonly name: string;
  readonly before?: Adapters;
  readonly uses: readonly [before: string, after: string];
  /** The adapters, the line of the config, and the reason for app/it. */
  readonly expected: string;
}

const leaf = `DesignPattern: {
  parameters: {size: int, label: string}
  resources: app: it: {metadata: labels: {is: parameters.label, ...}, spec: size: parameters.size, ...}
}`;

const adapters: Adapters = {
  leaf,
  solo: `DesignPattern: {
    parameters: {name: string, size: int}
    resources: app: (parameters.name): spec: size: parameters.size
  }`,
  tree: `import "test.example/leaf"
    DesignPattern: {
      parameters: {count: int, name: string, big: *false | bool}
      composites: [{pattern: leaf.DesignPattern, params: {size: parameters.count, label: "l"}}]
      resources: app: it: {
        if parameters.big {big: "yes"}
        metadata: labels: {name: parameters.name, ...}
        ...
      }
    }`,
};

const cases: readonly Case[] = [
  {
    name: "an argument that reaches the field through a composite, under another name",
    uses: [
      "[{pattern: tree, params: {count: 1, name: a}}]",
      "[{pattern: tree, params: {count: 2, name: a}}]",
    ],
    expected: "tree → leaf (line 10) count: 1 → 2",
  },
  {
    name: "an argument whose text is in the diff by chance isn't named",
    uses: [
      "[{pattern: tree, params: {count: 1, name: a}}, {pattern: leaf, params: {size: 1, label: l}}]",
      "[{pattern: tree, params: {count: 1, name: l}}, {pattern: leaf, params: {size: 1, label: l}}]",
    ],
    expected: "tree (line 10) name: a → l",
  },
  {
    name: "an argument that only switches a field on, and is given for the first time",
    uses: [
      "[{pattern: tree, params: {count: 1, name: a}}]",
      "[{pattern: tree, params: {count: 1, name: a, big: true}}]",
    ],
    expected: "tree (line 10) big: nothing → true",
  },
  {
    name: "an argument that switches it off again",
    uses: [
      "[{pattern: tree, params: {count: 1, name: a, big: true}}]",
      "[{pattern: tree, params: {count: 1, name: a}}]",
    ],
    expected: "tree → leaf (line 10) big: true → nothing",
  },
  {
    name: "a changed adapter with the same arguments",
    before: { ...adapters, leaf: leaf.replace("parameters.size", "parameters.size + 1") },
    uses: [
      "[{pattern: tree, params: {count: 1, name: a}}]",
      "[{pattern: tree, params: {count: 1, name: a}}]",
    ],
    expected: "tree → leaf (line 10) written at leaf/leaf.cue:4",
  },
  {
    name: "another use of the same adapter isn't confused with this one",
    uses: [
      "[{pattern: solo, params: {name: that, size: 5}}, {pattern: solo, params: {name: it, size: 1}}]",
      "[{pattern: solo, params: {name: new, size: 1}}, {pattern: solo, params: {name: that, size: 5}}, {pattern: solo, params: {name: it, size: 2}}]",
    ],
    expected: "solo (line 30) size: 1 → 2",
  },
  {
    name: "a use that the other commit lacks, next to others of the same adapter",
    uses: [
      "[{pattern: solo, params: {name: that, size: 5}}, {pattern: solo, params: {name: other, size: 1}}]",
      "[{pattern: solo, params: {name: it, size: 1}}, {pattern: solo, params: {name: that, size: 5}}]",
    ],
    expected: "solo (line 10)",
  },
  {
    name: "without differences between the commits",
    uses: [
      "[{pattern: tree, params: {count: 1, name: a}}]",
      "[{pattern: tree, params: {count: 1, name: a}}]",
    ],
    expected: "tree → leaf (line 10)",
  },
];

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

describe("the reason why a resource changes", () => {
  it.each(cases)("$name", ({ before = adapters, uses, expected }) => {
    const base = compileTraced(module, before, uses[0]);
    const head = compileTraced(module, adapters, uses[1]);
    const trace = createTracer(head, base)("app/it");
    const patterns = trace?.patterns.map((pattern) => pattern.replace("test.example/", ""));
    const params = trace?.changed.map(
      (p) => `${p.name}: ${p.before ?? "nothing"} → ${p.after ?? "nothing"}`,
    );
    const places = trace?.written.map(({ file, line }) => `written at ${file}:${line}`);
    const text = [`${patterns?.join(" → ")} (line ${trace?.line})`, ...(params ?? [])];
    expect([...text, ...(places ?? [])].join(" ")).toBe(expected);
  });

  it("names all different arguments if a commit has no trace", () => {
    const base = compileTraced(module, adapters, cases[3]?.uses[0] ?? "");
    const head = compileTraced(module, adapters, cases[3]?.uses[1] ?? "");
    const trace = createTracer(head, { ...base, trace: undefined })("app/it");
    expect(trace?.changed).toMatchObject([{ name: "big", before: true, after: undefined }]);
  });
});
