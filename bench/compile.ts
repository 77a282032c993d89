import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../src/model/json.ts";
import { buildTools } from "../test/support/cluster/build.ts";
import { type Adapter, adapters } from "./adapters.ts";
import type { EngineCosts } from "./engine-costs.ts";
import { inTurn } from "./in-turn.ts";
import type { Row, Section } from "./section.ts";
import { type Command, type Cost, timed } from "./timed.ts";
import { withoutProvider } from "./without-provider.ts";
import { prepareWorkplace, type Workplace } from "./workplace.ts";

/**
 * Compares `qvs compile`, as a whole process, with the native `cue export` of the same adapter and
 * params.
 */
export async function compareCompiling(rounds: number): Promise<Section> {
  const cue = (await buildTools("cue")).path("cue");
  const node = await nodeAlone(rounds);
  const compared: Compared[] = [];
  for (const adapter of adapters) compared.push(await compareAdapter(adapter, cue, rounds));
  const version = await timed({ program: cue, args: ["version"], directory: "." });
  return {
    title: "Compiling",
    command: "QVS_CORPUS=<where official-cloud-native-adapters is> npm run bench -- compile",
    rounds,
    versions: [version.stdout.split("\n")[0] ?? ""],
    notes: [
      "Native and wasm are the engines. Each is a whole process from its start to its end, Node and the engine included. `cue export` is the official program, built from its Go module. Before timing, the results of both are compared: they are equal.",
      "Engine start, of WebAssembly, is from starting the worker thread until it has answered a request to compile nothing.",
      "Warm, with WebAssembly, is the eleventh compilation of one process, each with another image, from reading the QVS config to the manifests.",
      "Ratios are those to `cue export`.",
    ],
    rows: [
      node,
      { subject: "engine start", costs: compared.flatMap(({ engineStarts }) => engineStarts) },
      ...compared.flatMap(({ rows }) => rows),
    ],
  };
}

interface Compared {
  readonly rows: readonly Row[];
  readonly engineStarts: readonly Cost[];
}

/** Measures an empty Node.js program, the lower bound for every program on Node.js. */
async function nodeAlone(rounds: number): Promise<Row> {
  const command = { program: process.execPath, args: ["--eval", "0"], directory: "." };
  const { node } = await inTurn(rounds, { node: () => costOf(command) });
  return { subject: "Node alone", costs: node };
}

async function compareAdapter(adapter: Adapter, cue: string, rounds: number): Promise<Compared> {
  const workplace = prepareWorkplace(adapter, cue);
  try {
    await requireSameResult(workplace);
    return await measure(adapter.folder, workplace, rounds);
  } finally {
    workplace.remove();
  }
}

async function measure(name: string, workplace: Workplace, rounds: number): Promise<Compared> {
  const engines: EngineCosts[] = [];
  const inProcess = async () => {
    const { cost, stdout } = await timed(workplace.engineCosts);
    engines.push(JSON.parse(stdout) as EngineCosts);
    return cost;
  };
  const compile = async (engine: "native" | "wasm") => {
    if (engine === "wasm") process.env.QVS_ENGINE = "wasm";
    return costOf(workplace.qvsCompile).finally(() => delete process.env.QVS_ENGINE);
  };
  const { cue, native, wasm } = await inTurn(rounds, {
    cue: () => costOf(workplace.cueExport),
    native: () => compile("native"),
    wasm: () => compile("wasm"),
    inProcess,
  });
  const counted = engines.slice(-rounds);
  const warm = counted.map((costs) => costs.warm);
  const rows = [
    { subject: `\`${name}\`: cue export`, costs: cue },
    { subject: `\`${name}\`: qvs compile, native`, costs: native, against: cue },
    { subject: `\`${name}\`: qvs compile, wasm`, costs: wasm, against: cue },
    { subject: `\`${name}\`: compiled again, warm`, costs: warm, against: cue },
  ];
  return { rows, engineStarts: counted.map((costs) => costs.start) };
}

async function costOf(command: Command): Promise<Cost> {
  return (await timed(command)).cost;
}

/**
 * Throws if the results differ: then the programs do different work, and their times can't be
 * compared.
 */
async function requireSameResult({ qvsCompile, cueExport }: Workplace): Promise<void> {
  const ours = JSON.parse((await timed(qvsCompile)).stdout) as { readonly stages: JsonObject };
  const theirs = JSON.parse((await timed(cueExport)).stdout) as JsonObject;
  if (isDeepStrictEqual(ours.stages.app, withoutProvider(theirs.app))) return;
  throw new Error("qvs compile and cue export have different results for this adapter");
}
