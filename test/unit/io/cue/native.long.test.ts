import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { cueEngine, engineBuild } from "../../../../scripts/engines.ts";
import { createCompiler } from "../../../../src/io/cue/compiler.ts";
import { engineSources } from "../../../../src/io/cue/engine/engine-build.ts";
import { NativeProgram } from "../../../../src/io/cue/engine/native.ts";
import { isAvailable, modulePath, requestFor, table } from "../../../support/corpus/official.ts";
import { builtNative } from "../../../support/cue/native.ts";
import { moduleOf, wasm } from "../../../support/cue/open.ts";

const root = join(import.meta.dirname, "../../../..");
const script = new URL("../../../../src/compile-worker.ts", import.meta.url);

it("the program knows the digest of the engine's present sources", () => {
  const generated = readFileSync(join(root, "src/io/cue/engine/engine-build.ts"), "utf8");
  expect(generated).toBe(engineBuild(cueEngine));
});

describe.skipIf(builtNative === undefined)("both engines give the same bytes", () => {
  const compilers = [
    createCompiler({ script, wasm }),
    createCompiler({ script, wasm, native: builtNative }),
  ] as const;
  afterAll(() => Promise.all(compilers.map((compiler) => compiler.close())));

  const compileWithBoth = async (request: ReturnType<typeof requestFor>) => {
    const [first, second] = await Promise.all(
      compilers.map(async (compiler) => JSON.stringify(await compiler.compile(request))),
    );
    expect(second).toBe(first);
    return first ?? "";
  };

  it.skipIf(!isAvailable).each(table)("for $pattern of the corpus", async (row) => {
    const request = requestFor(`${modulePath}/${row.pattern}`, row.params ?? {});
    await compileWithBoth(request);
    await compileWithBoth({ ...request, check: true });
    await compileWithBoth({ ...request, trace: true });
    const { modules } = request;
    const described = await Promise.all(
      compilers.map((each) => each.describe({ describe: `${modulePath}/${row.pattern}`, modules })),
    );
    expect(JSON.stringify(described[1])).toBe(JSON.stringify(described[0]));
  });

  it.each([
    ["a conflict", "DesignPattern: {parameters: n: 1 & 2}"],
    ["an error of syntax", "DesignPattern: {parameters: {"],
    ["a disjunction without a match", 'DesignPattern: resources: app: c: (1 | "a") & [true]'],
    ["a cycle", "DesignPattern: resources: app: c: x: y: x\nx: {z: x}"],
    ["an incomplete value", "DesignPattern: resources: app: c: {a: string, b: int}"],
    ["an unknown import", 'import "b.example/n"\nDesignPattern: n'],
    [
      "many errors",
      `DesignPattern: resources: app: {${"abcdefgh".replaceAll(/./g, "$&: {x: 1 & 2}\n")}}`,
    ],
    ["an old list", "DesignPattern: resources: app: c: x: [1] + [2]"],
  ])("for %s", async (_, text) => {
    const request = {
      ...requestFor("a.example/m/x", {}),
      modules: [moduleOf({ "x/x.cue": `package x\n${text}` })],
    };
    await compileWithBoth(request);
  });
});

/** Starts a script instead of the engine. */
function scriptOf(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "native-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "qvs-engine");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

it.each([
  ["is missing", () => "/nonexistent/qvs-engine"],
  ["ends at once", () => scriptOf("exit 1")],
  ["has other sources", () => scriptOf("printf 'h\\003\\000\\000\\000old'; cat")],
  ["prints something else", () => scriptOf("printf 'aaaaaaaaaaaaaaaaaaaa\\n'; exit")],
])("WebAssembly replaces a native engine that %s", async (_, path) => {
  expect(new NativeProgram(path(), engineSources).isUsable()).toBe(false);
  const compiler = createCompiler({ script, wasm, native: path() });
  onTestFinished(() => compiler.close());
  const modules = [
    moduleOf({
      "x/x.cue":
        'package x\nDesignPattern: resources: app: c: {apiVersion: "v1", kind: "Secret", metadata: name: "c"}',
    }),
  ];
  const result = await compiler.compile({ ...requestFor("a.example/m/x", {}), modules });
  expect(result).toMatchObject({ ok: true });
});

describe.skipIf(builtNative === undefined || process.platform !== "linux")("the process", () => {
  const native = builtNative ?? "";

  it("has no environment of the user, and runs outside of the repository", () => {
    let pid = 0;
    const engine = new NativeProgram(native, engineSources, (id) => (pid = id));
    expect(engine.isUsable()).toBe(true);
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toBe("GOTRACEBACK=none\0");
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
    expect(limits).toMatch(/^Max data size +2147483648 +2147483648 +bytes/m);
  });

  it("ends with its parent, also during an evaluation", async () => {
    const endless =
      "a: len([for a in list.Range(0, 1000000, 1) for b in list.Range(0, 1000000, 1) {a + b}])";
    const text = `
      import { createCue } from ${JSON.stringify(join(root, "src/io/cue/engine/engine.ts"))};
      import { NativeProgram } from ${JSON.stringify(join(root, "src/io/cue/engine/native.ts"))};
      const native = new NativeProgram(${JSON.stringify(native)}, ${JSON.stringify(engineSources)}, (pid) => console.log(pid));
      const files = new Map([["cue.mod/module.cue", 'module: "a.example/m"'], ["x/x.cue", ${JSON.stringify(`package x\nimport "list"\n${endless}`)}]]);
      const cue = createCue(native, [{ display: "", files: { in: "memory", files } }]);
      cue.export(cue.load("a.example/m/x").value);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", text], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once("data", (line) => resolve(Number(String(line)))),
    );
    await expect.poll(() => cpuTicks(pid)).toBeGreaterThan(20);
    parent.kill("SIGKILL");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("ends when the time is over", async () => {
    const compiler = createCompiler({ script, wasm, native, timeLimit: 3_000 });
    onTestFinished(() => compiler.close());
    const adapter =
      'package x\nimport "list"\nDesignPattern: resources: app: c: x: len([for a in list.Range(0, 1000000, 1) for b in list.Range(0, 1000000, 1) {a + b}])';
    const before = engines(native);
    const modules = [moduleOf({ "x/x.cue": adapter })];
    const result = await compiler.compile({ ...requestFor("a.example/m/x", {}), modules });
    expect(JSON.stringify(result)).toContain("took more than 3 s");
    await compiler.close();
    await expect.poll(() => engines(native).filter((pid) => !before.includes(pid))).toEqual([]);
  });
});

/** Returns the CPU time of a process, user and system, in ticks. */
function cpuTicks(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/** Returns the ids of the engine processes that this process has started. */
function engines(native: string): readonly number[] {
  const tasks = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  const children = [...new Set(tasks.trim().split(" ").filter(Boolean).map(Number))];
  return children.filter((pid) => isRunning(pid) && readlinkSync(`/proc/${pid}/exe`) === native);
}
