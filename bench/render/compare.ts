import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { type Json, textAt } from "../../src/model/json.ts";
import { userError } from "../../src/model/problems/errors.ts";
import { nativeEngine } from "../../src/world/engine-start.ts";
import { buildTools } from "../../test/support/cluster/build.ts";
import { inTurn } from "../in-turn.ts";
import { qvs } from "../qvs.ts";
import type { Row, Section } from "../section.ts";
import type { Command, Cost } from "../timed.ts";
import { timedTree } from "../timed-tree.ts";
import { engineAlone } from "./engine-alone.ts";
import { type RenderedRepository, renderedRepository } from "./repository.ts";

/** The numbers of objects: a small application, a usual one, and a large one. */
const counts = [1, 10, 300];

const kinds = ["native", "wasm"] as const;

/** Renders the chart with the value that the config of the repository sets. */
const chartRequest = {
  op: "helm",
  helm: {
    ...{ chart: "chart", release: "shop", namespace: "default" },
    values: [],
    set: [{ path: "replicas", value: 3 }],
    capabilities: { apiVersions: [], complete: false },
    ...{ isUpgrade: false, seed: "bench", clock: 0 },
  },
};

const overlayRequest = {
  op: "kustomize",
  kustomize: { directory: "overlay", bases: [], mark: "bench", origins: false },
};

type EngineKind = (typeof kinds)[number];

/**
 * Compares `qvs compile` of a chart and of an overlay, as a whole process, with `helm template` and
 * `kustomize build`.
 */
export async function compareRendering(rounds: number): Promise<Section> {
  const native = nativeEngine({});
  if (native === undefined)
    throw userError(
      "invalid-input",
      "The native engines are missing",
      "Run: node scripts/build-native.ts",
    );
  const helm = (await buildTools("helm")).path("helm");
  const kustomize = (await buildTools("kustomize")).path("kustomize");
  const engine = join(dirname(native), "qvs-render");
  const rows: Row[] = [];
  for (const count of counts) {
    const repository = renderedRepository(count);
    try {
      rows.push(...(await measure(repository, { helm, kustomize, engine }, count, rounds)));
    } finally {
      repository.remove();
    }
  }
  const version = (program: string, ...args: readonly string[]) =>
    timedTree({ program, args, directory: "." });
  const versions = [
    await version(helm, "version", "--template", "{{.Version}}"),
    await version(kustomize, "version"),
  ];
  return {
    title: "Rendering charts and overlays",
    command: "npm run bench -- render",
    rounds,
    versions: ["helm", "kustomize"].map((name, at) => `${name} ${versions[at]?.stdout.trim()}`),
    notes: [
      "Each is a whole process from its start to its end. `helm` and `kustomize` are the official programs, built from their Go modules. Before timing, the results are compared: they are equal.",
      "The chart has one template with a helper for each Deployment. The overlay has one base file for each, a prefix, labels, an image and a patch of all.",
      "`qvs` renders each time, without its cache. It also compares the objects with the schemas of their kinds. It renders a chart a second time if the first rendering used random values or the time, which this chart doesn't.",
      "Each engine is measured: the programs of this machine (native), and WebAssembly (wasm). CPU time contains the engine's process, which `qvs` leaves behind when it ends.",
      "Engine alone is the process of the native render engine, from its start to its answer with all objects. The rest of `qvs compile` is Node.js, reading the program, the schemas, the order, and reading and writing YAML. Node.js alone needs 20 ms and more.",
      "Ratios are those to `helm template` and `kustomize build`.",
    ],
    rows,
    ratio: "cpuMs",
  };
}

interface Programs {
  readonly helm: string;
  readonly kustomize: string;
  /** The native render engine. */
  readonly engine: string;
}

async function measure(
  repository: RenderedRepository,
  programs: Programs,
  count: number,
  rounds: number,
): Promise<readonly Row[]> {
  const { directory, chart, overlay, configs } = repository;
  const template = ["template", "shop", chart, "--set-json", "replicas=3"];
  const inputs = [
    {
      name: `chart of ${count}`,
      tool: "helm template",
      other: { program: programs.helm, args: template, directory },
      config: configs.chart,
      request: chartRequest,
    },
    {
      name: `overlay of ${count}`,
      tool: "kustomize build",
      other: { program: programs.kustomize, args: ["build", overlay], directory },
      config: configs.overlay,
      request: overlayRequest,
    },
  ];
  const rows: Row[] = [];
  for (const { name, tool, other, config, request } of inputs) {
    const own = (engine: EngineKind) => compileWith(engine, directory, config);
    for (const engine of kinds) await requireSameResult(other, own(engine));
    const costs = await inTurn(rounds, {
      other: () => costOf(other),
      alone: async () => engineAlone(programs.engine, directory, request),
      native: () => costOf(own("native")),
      wasm: () => costOf(own("wasm")),
    });
    rows.push(
      { subject: `${name}: ${tool}`, costs: costs.other },
      { subject: `${name}: engine alone, native`, costs: costs.alone, against: costs.other },
      ...kinds.map((engine) => ({
        subject: `${name}: qvs compile, ${engine}`,
        costs: costs[engine],
        against: costs.other,
      })),
    );
  }
  return rows;
}

function compileWith(engine: EngineKind, directory: string, config: string): Command {
  const { program, args } = qvs(directory, "compile", "--no-cache", "--quiet", "--config", config);
  const setting = engine === "wasm" ? ["QVS_ENGINE=wasm"] : ["--unset=QVS_ENGINE"];
  return { program: "env", args: [...setting, program, ...args], directory };
}

async function requireSameResult(other: Command, own: Command): Promise<void> {
  const [expected, found] = [objectsOf(await timedTree(other)), objectsOf(await timedTree(own))];
  if (expected.size > 0 && isDeepStrictEqual(expected, found)) return;
  throw new Error(`${[other.program, ...other.args].join(" ")} renders other objects than qvs`);
}

/** Returns the objects of an output by name. */
function objectsOf({ stdout }: { readonly stdout: string }): ReadonlyMap<string, Json> {
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Json);
  return new Map(objects.map((each) => [textAt(each, "metadata", "name") ?? "", each]));
}

async function costOf(command: Command): Promise<Cost> {
  return (await timedTree(command)).cost;
}
