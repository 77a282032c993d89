import { beforeAll, expect, test } from "vitest";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import {
  type Compilation,
  type LayoutNode,
  type Stage,
  stages,
} from "../../../src/model/sources/compilation.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { fc } from "../../support/fast-check.ts";
import { factor } from "../../support/runs.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";

/**
 * The time limit of a run. Shrinking a counterexample takes longest; the best result until then is
 * reported.
 */
const limits = { interruptAfterTimeLimit: 15_000 * factor };

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

/** A use of an adapter, by its number. */
interface Use {
  readonly adapter: number;
  readonly group: string | undefined;
}

interface Adapter {
  readonly resources: readonly { readonly stage: Stage; readonly id: string }[];
  /** The composites, which have lower numbers than the adapter. */
  readonly composites: readonly Use[];
  /** True if the adapter marks every final resource of the stage app. */
  readonly defers: boolean;
}

interface Application {
  readonly adapters: readonly Adapter[];
  readonly uses: readonly Use[];
}

const count = 4;
const group = fc.option(fc.constantFrom("g", "h"), { nil: undefined });
const useBelow = (limit: number) => fc.record({ adapter: fc.nat({ max: limit - 1 }), group });
const resource = fc.record({
  stage: fc.constantFrom(...stages),
  id: fc.constantFrom("a", "g/a", "c.d"),
});
const adapterAt = (number: number): fc.Arbitrary<Adapter> =>
  fc.record({
    resources: fc.uniqueArray(resource, { maxLength: 3, selector: (r) => `${r.stage}/${r.id}` }),
    composites: number === 0 ? fc.constant([]) : fc.array(useBelow(number), { maxLength: 2 }),
    defers: fc.boolean(),
  });
const application: fc.Arbitrary<Application> = fc.record({
  adapters: fc.tuple(...Array.from({ length: count }, (_, number) => adapterAt(number))),
  uses: fc.array(useBelow(count), { minLength: 1, maxLength: 3 }),
});

/**
 * Returns the adapter in CUE. The data of each resource contains the numbers of the adapters that
 * wrote it.
 */
function cueOf({ resources, composites, defers }: Adapter, number: number): string {
  const imports = [...new Set(composites.map(({ adapter }) => adapter))];
  const own = resources.map(
    ({ stage, id }) =>
      `resources: ${stage}: "${id}": {provider: "test", data: "own${number}": "1"}`,
  );
  const elements = composites.map(
    (use) =>
      `{pattern: p${use.adapter}.DesignPattern${use.group === undefined ? "" : `, group: "${use.group}"`}}`,
  );
  return [
    `package p${number}`,
    ...imports.map((each) => `import "a.example/m/p${each}"`),
    "DesignPattern: {",
    `name: "p${number}"`,
    "resources: {appSetup: {...}, app: {...}}",
    ...own,
    ...(composites.length === 0 ? [] : [`composites: [${elements.join(", ")}]`]),
    ...(defers
      ? [`defer: app: {for id, _ in resources.app {(id): data: "defer${number}": "1"}}`]
      : []),
    "}",
  ].join("\n");
}

function compile({ adapters, uses }: Application): Result<Compilation> {
  return compileFiles(
    Object.fromEntries(adapters.map((adapter, i) => [`p${i}/p.cue`, cueOf(adapter, i)])),
    uses.map((use) => ({ ...use, pattern: `a.example/m/p${use.adapter}` })),
  );
}

function compileFiles(
  files: Readonly<Record<string, string>>,
  uses: readonly { readonly pattern: string; readonly group: string | undefined }[],
): Result<Compilation> {
  const module = [
    "cue.mod/module.cue",
    'module: "a.example/m"\nlanguage: version: "v0.12.0"\n',
  ] as const;
  const source = { in: "memory", files: new Map([module, ...Object.entries(files)]) } as const;
  const modules = [{ display: "", files: source }];
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const designPatterns = uses.map((use) => ({
    pattern: use.pattern,
    group: use.group,
    params: [],
    where,
  }));
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns };
  return compileConfig({ config, modules }, createCue(wasm, modules));
}

/** Returns the manifests as `stage/id: the names of the adapters' fields`. */
function manifestsOf(result: Result<Compilation>): readonly string[] {
  if (!result.ok) throw new Error(result.problems.map(describeProblem).join("\n"));
  return result.value.resources.map((resource) => {
    // This provider has no object names. Otherwise, an adapter in two groups would declare an
    // object twice.
    const { data } = (resource.type === "foreign" ? resource.content : {}) as { data: object };
    return `${resource.stage}/${resource.id}: ${Object.keys(data).sort().join(" ")}`;
  });
}

/** Returns the layout with sorted nodes, because their order doesn't matter. */
function layoutOf(result: Result<Compilation>): unknown {
  const sorted = (node: LayoutNode): object => ({
    ...node,
    line: 0,
    column: 0,
    use: undefined,
    composites: node.composites
      .map(sorted)
      .map((each) => JSON.stringify(each))
      .sort(),
  });
  return result.ok ? sorted(result.value.layout) : undefined;
}

type Marks = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the expected marks of an adapter by the rules of the specification, without CUE:
 * composites first, then `defer`.
 */
function marksOf(use: Use, adapters: readonly Adapter[]): Marks {
  const { resources, composites, defers } = adapters[use.adapter] as Adapter;
  const own = new Map(
    resources.map(({ stage, id }) => [`${stage}/${id}`, new Set([`own${use.adapter}`])]),
  );
  const all = union([own, ...composites.map((each) => marksOf(each, adapters))]);
  const marked = [...all].map(([key, marks]) => {
    const seen = defers && key.startsWith("app/");
    const [stage = "", id = ""] = /^([^/]+)\/(.*)$/.exec(key)?.slice(1) ?? [];
    const name = use.group === undefined ? key : `${stage}/${use.group}/${id}`;
    return [name, new Set(seen ? [...marks, `defer${use.adapter}`] : marks)] as const;
  });
  return new Map(marked);
}

function union(all: readonly Marks[]): Marks {
  const entries = all.flatMap((marks) => [...marks]);
  const byKey = Map.groupBy(entries, ([key]) => key);
  return new Map(
    [...byKey].map(([key, found]) => [key, new Set(found.flatMap(([, m]) => [...m]))]),
  );
}

function expectedOf({ uses, adapters }: Application): readonly string[] {
  const marks = union(uses.map((use) => marksOf(use, adapters)));
  return [...marks].map(([key, found]) => `${key}: ${[...found].sort().join(" ")}`);
}

/** Returns the application with its composites and designPatterns in reverse order. */
function reversed({ adapters, uses }: Application): Application {
  return {
    adapters: adapters.map((each) => ({ ...each, composites: each.composites.toReversed() })),
    uses: uses.toReversed(),
  };
}

test(
  "resources with the same stage, group and id are merged, without those of other groups",
  () => {
    fc.assert(
      fc.property(application, (app) => {
        expect([...manifestsOf(compile(app))].sort()).toEqual([...expectedOf(app)].sort());
      }),
      { ...limits, numRuns: 12 * factor },
    );
  },
  30_000 * factor,
);

test(
  "the order of designPatterns and composites does not matter",
  () => {
    fc.assert(
      fc.property(application, (app) => {
        const [one, other] = [compile(app), compile(reversed(app))];
        expect(manifestsOf(one)).toEqual(manifestsOf(other));
        expect(layoutOf(one)).toEqual(layoutOf(other));
      }),
      { ...limits, numRuns: 10 * factor },
    );
  },
  30_000 * factor,
);

test(
  "a duplicate use changes nothing",
  () => {
    fc.assert(
      fc.property(application, ({ adapters, uses }) => {
        const twice = {
          adapters: adapters.map((each) => ({
            ...each,
            composites: [...each.composites, ...each.composites],
          })),
          uses: [...uses, ...uses],
        };
        expect(manifestsOf(compile(twice))).toEqual(manifestsOf(compile({ adapters, uses })));
      }),
      { ...limits, numRuns: 5 * factor },
    );
  },
  30_000 * factor,
);

const pieces = [
  ...[
    "DesignPattern: ",
    "resources: ",
    "app: ",
    "parameters: ",
    "composites: ",
    "defer: ",
    "group: ",
    "name: ",
  ],
  ...[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\n",
    ", ",
    ": ",
    "a",
    "#A",
    "_a",
    "if ",
    "for x in ",
    "let a = ",
    "import ",
  ],
  ...[
    '"a"',
    "'a'",
    '"""',
    "\\(a)",
    "1",
    "1.5",
    "true",
    "_|_",
    "*1 | ",
    "& ",
    "=~",
    "...",
    "@a(b)",
    "?",
    "!",
    "//",
  ],
  ...[
    "package a\n",
    "package b\n",
    "\u0000",
    "\u0085",
    "\ufeff",
    "DesignPattern",
    "resources",
    '"__proto__": ',
  ],
];
const anyCue = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join("")),
  fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((all) => `package a\nDesignPattern: {${all.join("")}}`),
  fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all).toString()),
  fc.tuple(fc.nat(), fc.nat({ max: 30 }), fc.constantFrom(...pieces)).map(([at, length, piece]) => {
    const text = shopFiles["adapters/web/main.cue"].replace("package web", "package a");
    const start = at % text.length;
    return text.slice(0, start) + piece + text.slice(start + length);
  }),
);

test(
  "any text as an adapter results in a compilation or in problems with places",
  () => {
    fc.assert(
      fc.property(anyCue, (text) => {
        const result = compileFiles({ "a/a.cue": text }, [
          { pattern: "a.example/m/a", group: undefined },
        ]);
        if (result.ok) return;
        const lines = text.split("\n").length;
        expect(result.problems.length).toBeGreaterThan(0);
        for (const { where, what, fix } of result.problems) {
          expect([where.length > 0, what !== "", fix !== ""]).toEqual([true, true, true]);
          for (const { line, column } of where) {
            expect(line >= 1 && line <= lines && column >= 1).toBe(true);
          }
        }
      }),
      { ...limits, numRuns: 25 * factor },
    );
  },
  30_000 * factor,
);
