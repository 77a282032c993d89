import { afterEach, expect, test } from "vitest";
import { createCompiler } from "../../../../src/io/cue/compiler.ts";
import type { CompileRequest, Compiler } from "../../../../src/ports/cue.ts";
import { moduleOf, wasm } from "../../../support/cue/open.ts";

const script = new URL("../../../support/cue/worker.ts", import.meta.url);
let compiler: Compiler | undefined;
afterEach(() => compiler?.close());

/** Creates a config that uses the package a.example/m/x with the given text. */
function request(text: string, file = "qvs.yaml"): CompileRequest {
  const where = { file, line: 9, column: 3 };
  const use = { pattern: "a.example/m/x", group: undefined, params: [], where };
  const config = { file, params: [], modules: [], designPatterns: [use] };
  return { config, modules: [moduleOf({ "x/x.cue": `package x\n${text}` })] };
}

/** Returns the text of test/support/cue/worker.ts in the first warning, or the problems. */
async function outcome(text: string, file?: string): Promise<string> {
  const result = await (compiler as Compiler).compile(request(text, file));
  if (result.ok) return result.value.warnings[0]?.what ?? "";
  return result.problems
    .map((p) => `${p.where.map((w) => `${w.file}:${w.line}`)} ${p.what}`)
    .join("\n");
}

// 10^12 elements take longer than the limit on any computer.
const endless = `import "list"
out: len([for a in list.Range(0, 1000000, 1) for b in list.Range(0, 1000000, 1) {a + b}])`;

test("an endless compilation is stopped and blamed on its adapter, and the next one works", async () => {
  compiler = createCompiler({ script, wasm, timeLimit: 10_000 });
  expect(await outcome(endless)).toBe(
    'qvs.yaml:9 "a.example/m/x": the evaluation took more than 10 s',
  );
  expect(await outcome("out: 1")).toBe('{"ok":true,"value":1}');
});

test("endless recursion is an error, and the next compilation works", async () => {
  compiler = createCompiler({ script, wasm });
  expect(await outcome("out: 1", "endless-recursion.yaml")).toBe(
    'endless-recursion.yaml:9 "a.example/m/x": the evaluation nests too deeply',
  );
  expect(await outcome("out: 1")).toBe('{"ok":true,"value":1}');
});

test("structs nested as deeply as CUE allows are evaluated", async () => {
  compiler = createCompiler({ script, wasm });
  const depth = 4_000;
  expect(await outcome(`out: len([${"[".repeat(depth)}${"]".repeat(depth)}])`)).toBe(
    '{"ok":true,"value":1}',
  );
});

test("the worker answers concurrent requests one after another, each from its own files", async () => {
  compiler = createCompiler({ script, wasm });
  const answers = await Promise.all(
    ["out: 1", "out: 2", "out: 2", "out: x"].map((t) => outcome(t)),
  );
  expect(answers.slice(0, 3)).toEqual([1, 2, 2].map((value) => `{"ok":true,"value":${value}}`));
  expect(answers[3]).toContain('reference \\"x\\" not found');
});

test("a request reads its own files if the previous request didn't read them", async () => {
  compiler = createCompiler({ script, wasm });
  const requestFor = (files: Record<string, string>, pattern: string) => {
    const { config } = request("");
    const designPatterns = config.designPatterns.map((use) => ({ ...use, pattern }));
    const modules = [moduleOf({ "x/x.cue": "package x\nout: 1", ...files })];
    return { config: { ...config, designPatterns }, modules };
  };
  await compiler.compile(requestFor({ "y/y.cue": "package y\nout: 2" }, "a.example/m/x"));
  const second = await compiler.compile(
    requestFor({ "y/y.cue": "package y\nout: 3" }, "a.example/m/y"),
  );
  expect(second.ok && second.value.warnings[0]?.what).toBe('{"ok":true,"value":3}');
});

test("closing stops a running compilation", async () => {
  compiler = createCompiler({ script, wasm });
  const ended = expect(outcome(endless)).rejects.toThrow("the worker ended before it answered");
  setTimeout(() => compiler?.close(), 100);
  await ended;
});

test("a worker that cannot start is a bug, not an endless wait", async () => {
  compiler = createCompiler({ script: new URL("./no-such-worker.ts", import.meta.url), wasm });
  await expect(outcome("out: 1")).rejects.toThrow("no-such-worker");
});

test("a missing engine is a bug, not an endless wait", async () => {
  compiler = createCompiler({ script, wasm: new URL("./no-such-engine.zst", import.meta.url) });
  await expect(outcome("out: 1")).rejects.toThrow("no-such-engine");
});
