import { createCompiler } from "../src/io/cue/compiler.ts";
import { openWorkTree } from "../src/io/git/work-tree.ts";
import type { Compiler } from "../src/ports/cue.ts";
import { compileDeployment } from "../src/sources/compile-deployment.ts";
import { createParamLookup } from "../src/sources/undeclared-params.ts";
import type { Cost } from "./timed.ts";

/** The JSON that this program prints. The benchmark runs it in a repository with a QVS config. */
export interface EngineCosts {
  /** The time from the start of the worker thread to the answer to an empty request. */
  readonly start: Cost;
  /**
   * One compilation after several others, each with a different image: from reading the QVS config
   * to the manifests.
   */
  readonly warm: Cost;
}

/** A compilation reaches its final speed when V8 has optimized the functions that it calls most. */
const compilationsBefore = 10;

const start = await costOf(startEngine);
for (let i = 0; i < compilationsBefore; i++) await compileWith(start.result, `image:${i}`);
const warm = await costOf(() => compileWith(start.result, "image:last"));
await start.result.close();
const costs: EngineCosts = { start: start.cost, warm: warm.cost };
process.stdout.write(JSON.stringify(costs));

async function startEngine(): Promise<Compiler> {
  const dist = (file: string) => new URL(`../dist/${file}`, import.meta.url);
  const compiler = createCompiler({ script: dist("compile.js"), wasm: dist("cue.wasm.zst") });
  const nothing = { file: "qvs.yaml", params: [], modules: [], designPatterns: [] };
  await compiler.compile({ config: nothing, modules: [] });
  return compiler;
}

async function compileWith(compiler: Compiler, image: string): Promise<void> {
  const fetch = () => Promise.reject(new Error("nothing is fetched here"));
  const tree = openWorkTree(process.cwd());
  const source = {
    tree,
    modules: { fetch, fetchRepository: fetch, versions: fetch },
    charts: { fetch, versions: fetch },
    compiler,
    declaredParams: createParamLookup(tree),
  };
  const deployment = {
    name: "bench",
    config: ".valuestream/qvs.yaml",
    params: [],
    environment: undefined,
    context: undefined,
    namespace: "default",
    dependsOn: [],
  };
  const compiled = await compileDeployment(source, deployment, [`image=${image}`], "deploy");
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
}

async function costOf<T>(work: () => Promise<T>): Promise<{ result: T; cost: Cost }> {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  const cost = { wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 };
  return { result, cost };
}
