import { afterAll, expect, test } from "vitest";
import { createCompiler } from "../../../src/io/cue/compiler.ts";
import { readTimeLimit } from "../../../src/io/cue/limits.ts";
import { testedNative } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/** The time limit for bombs that end by themselves, also on a busy machine. */
const timeLimit = 3_600_000;
const script = new URL("../../../src/compile-worker.ts", import.meta.url);
const wasm = new URL("../../../dist/cue.wasm.zst", import.meta.url);
const native = testedNative;
const compiler = createCompiler({ script, wasm, native, timeLimit });
const hasty = createCompiler({ script, wasm, native, timeLimit: 5_000 });
afterAll(() => Promise.all([compiler.close(), hasty.close()]));

const app =
  'resources: app: c: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c", data: x: ';

/** Returns CUE code for a string of 2^`times` kilobytes. */
function doubled(times: number): string {
  const steps = Array.from({ length: times }, (_, i) => `_s${i + 1}: "\\(_s${i})\\(_s${i})"`);
  return [`_s0: strings.Repeat("x", 1000)`, ...steps].join("\n");
}

/** Returns a CUE expression that no computer can evaluate within the time limit. */
const endless = (size: string) =>
  `len([for a in list.Range(0, ${size}, 1) for b in list.Range(0, ${size}, 1) {a + b}])`;

const innermost = `{name: "leaf", parameters: n: int, resources: app: c: x: ${endless("parameters.n")}}`;

interface Bomb {
  readonly name: string;
  readonly adapter: string;
  /** The first line of stderr. */
  readonly says: string;
  readonly hasty?: boolean;
}

const bombs: readonly Bomb[] = [
  {
    name: "a string of a gigabyte by repetition",
    adapter: `DesignPattern: ${app}strings.Repeat("x", 1_000_000_000)}`,
    says: "adapters/a/a.cue:6:103: Resource app/c: strings.Repeat has no result",
  },
  {
    name: "a string of a terabyte by doubling",
    adapter: `${doubled(30)}\nDesignPattern: ${app}_s30}`,
    says: '.valuestream/qvs.yaml:2:28: "a.example/m/a": the evaluation needs more than 2 GiB of memory',
  },
  {
    name: "a list of a billion elements by repetition",
    adapter: `DesignPattern: ${app}"\\(len(list.Repeat([1], 1_000_000_000)))"}`,
    says: "adapters/a/a.cue:6:110: Resource app/c can't be evaluated",
  },
  {
    name: "a comprehension over a comprehension",
    adapter: `DesignPattern: ${app}"\\(${endless("1_000_000")})"}`,
    says: '.valuestream/qvs.yaml:2:28: "a.example/m/a": the evaluation took more than 5 s',
    hasty: true,
  },
  {
    name: "a comprehension in a composite of a composite",
    adapter: `DesignPattern: composites: [{params: n: 1_000_000, pattern: {
      name: "branch", parameters: n: int, composites: [{params: n: parameters.n, pattern: ${innermost}}]}}]`,
    says: '.valuestream/qvs.yaml:2:28: "a.example/m/a → branch → leaf": the evaluation took more than 5 s',
    hasty: true,
  },
  {
    name: "a definition that contains itself",
    adapter: `_f: {n: int, next: _f & {"n": n + 1}}\nDesignPattern: ${app}"1", y: _f & {n: 1}}`,
    says: "adapters/a/a.cue:7:32: Resource app/c: a struct contains itself without end",
  },
  {
    name: "a manifest of 16 MB",
    adapter: `${doubled(14)}\nDesignPattern: ${app}_s14}`,
    says: "adapters/a/a.cue:21:32: Resource app/c: the value is larger than 3 MiB",
  },
  {
    name: "a hundred manifests of a megabyte",
    adapter: `${doubled(10)}\nDesignPattern: resources: app: {
      for i in list.Range(0, 100, 1) {"c\\(i)": {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c\\(i)", data: x: _s10}}}`,
    says: '.valuestream/qvs.yaml:2:28: "a.example/m/a": the evaluation produces more than 16 MiB of JSON',
  },
  {
    name: "a manifest nested 300 levels deep",
    adapter: `DesignPattern: ${app}"1", y: ${"[".repeat(300)}${"]".repeat(300)}}`,
    says: "adapters/a/a.cue:6:32: Resource app/c: the value is nested deeper than 250 levels",
  },
  {
    name: "a manifest nested 3,000 levels deep",
    adapter: `DesignPattern: ${app}"1", y: ${"{a: ".repeat(3000)}1${"}".repeat(3000)}}`,
    says: "adapters/a/a.cue:6:32: Resource app/c: the value is nested deeper than 250 levels",
  },
  {
    name: "an expression nested 100,000 levels deep",
    adapter: `_x: ${"(".repeat(100_000)}1${")".repeat(100_000)}\nDesignPattern: ${app}"1"}`,
    says: 'adapters/a/a.cue:6:10005: Adapter "a.example/m/a" can\'t be loaded',
  },
  {
    name: "sixty levels of composites",
    adapter: `DesignPattern: ${"{composites: [{pattern: ".repeat(60)}{${app}"1"}}${"}]}".repeat(60)}`,
    says: `adapters/a/a.cue:6:1: Adapter "a.example/m/a" has more than 50 levels of composites`,
  },
  {
    name: "sixty megabytes of CUE",
    adapter: `// ${"x".repeat(60_000_000)}\nDesignPattern: ${app}"1"}`,
    says: `.valuestream/qvs.yaml:2:28: Adapter "a.example/m/a": adapters/a/a.cue exceeds the limit for CUE in one evaluation`,
  },
  {
    name: "a pattern that takes a backtracking matcher endless time",
    adapter: `DesignPattern: ${app}"\\(regexp.Match("^(a+)+$", strings.Repeat("a", 100_000) + "b"))"}`,
    says: "",
  },
];

function repositoryWith(adapter: string) {
  const imports = ["strings", "list", "regexp"]
    .map(
      (name) => `import "${name}"
`,
    )
    .join("");
  const used = "_used: [strings.MinRunes, list.MinItems, regexp.Match]";
  return temporaryRepository({
    ".valuestream/qvs.yaml": `modules: [{name: a.example/m, local: {path: ../adapters}}]
designPatterns: [{pattern: a.example/m/a}]
`,
    "adapters/cue.mod/module.cue": 'module: "a.example/m"\nlanguage: version: "v0.12.0"\n',
    "adapters/a/a.cue": `package a\n${imports}${used}\n${adapter}\n`,
  });
}

test.each(bombs)("$name", async ({ adapter, says, hasty: isHasty }) => {
  const used = isHasty === true ? hasty : compiler;
  const { code, stderr, stdout } = await runHere(
    repositoryWith(adapter).directory,
    ["compile"],
    used,
  );
  expect(firstProblem(stderr)).toBe(says);
  expect({ code, hasOutput: stdout !== "" }).toEqual(
    says === "" ? { code: 0, hasOutput: true } : { code: 1, hasOutput: false },
  );
  expect(await compileHarmless(used)).toEqual({ code: 0, stderr: "" });
});

/** Returns the first error, as `FILE:LINE:COLUMN: what`. */
function firstProblem(stderr: string): string {
  const [, what, place] = /^error\[[\w-]+\]: (.*)\n {2}--> (\S+)$/m.exec(stderr) ?? [];
  return what === undefined ? stderr : `${place}: ${what}`;
}

/** On a busy machine, the engine might not even start within the short limit. */
async function compileHarmless(used: typeof compiler) {
  const { directory } = repositoryWith(`DesignPattern: ${app}"1"}`);
  for (;;) {
    const { code, stderr } = await runHere(directory, ["compile"], used);
    if (!stderr.includes("took more than 5 s")) return { code, stderr };
  }
}

test("a huge value in a Secret is hidden, and its size is reported", async () => {
  const secret = app.replace("ConfigMap", "Secret");
  const { directory } = repositoryWith(`${doubled(14)}\nDesignPattern: ${secret}_s14}`);
  const { stderr } = await runHere(directory, ["compile"], compiler);
  expect(stderr.split("\n")[0]).toContain("Resource app/c: the value is larger than 3 MiB");
});

test("at most five hundred problems are reported", async () => {
  const { directory } = repositoryWith(
    'DesignPattern: resources: app: {for i in list.Range(0, 1000, 1) {"c\\(i)": x: i}}',
  );
  const { code, stderr } = await runHere(directory, ["compile"], compiler);
  expect(stderr).toContain("500 more problems like these aren't shown");
  expect(stderr.split("\n").length).toBeLessThan(2_100);
  expect(code).toBe(1);
});

test.each([
  ["120", 120_000],
  ["0.5", 500],
  ["", undefined],
])("QVS_EVALUATION_TIMEOUT=%s is %s ms", (text, limit) => {
  expect(readTimeLimit({ QVS_EVALUATION_TIMEOUT: text })).toBe(limit);
});

test.each(["0", "-1", "abc", "Infinity", "86400", "60s"])(
  "QVS_EVALUATION_TIMEOUT=%s fails every compilation with an error",
  async (text) => {
    const wrong = readTimeLimit({ QVS_EVALUATION_TIMEOUT: text });
    const refusing = createCompiler({ script, wasm, timeLimit: wrong });
    const { directory } = repositoryWith(`DesignPattern: ${app}"1"}`);
    const { code, stderr } = await runHere(directory, ["compile"], refusing);
    await refusing.close();
    expect(
      stderr,
    ).toBe(`error[invalid-input]: QVS_EVALUATION_TIMEOUT: "${text}" isn't a valid number of seconds
  allowed: more than 0, at most 3600
  help: Set QVS_EVALUATION_TIMEOUT to the time limit of one evaluation in seconds
  help: or unset it to use the default of 60 s
`);
    expect(code).toBe(1);
  },
);
