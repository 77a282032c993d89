import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { type Json, textAt } from "../../src/model/json.ts";
import { buildTools } from "../../test/support/cluster/build.ts";
import { inTurn } from "../in-turn.ts";
import { qvs } from "../qvs.ts";
import type { Row, Section } from "../section.ts";
import { type Command, type Cost, timed } from "../timed.ts";
import { type RenderedRepository, renderedRepository } from "./repository.ts";

/** The numbers of objects: a usual application, and a large one. */
const counts = [10, 300];

/**
 * Compares `qvs compile` of a chart and of an overlay, as a whole process, with `helm template` and
 * `kustomize build`.
 */
export async function compareRendering(rounds: number): Promise<Section> {
  const helm = (await buildTools("helm")).path("helm");
  const kustomize = (await buildTools("kustomize")).path("kustomize");
  const rows: Row[] = [];
  for (const count of counts) {
    const repository = renderedRepository(count);
    try {
      rows.push(...(await measure(repository, { helm, kustomize }, count, rounds)));
    } finally {
      repository.remove();
    }
  }
  const version = (program: string, ...args: readonly string[]) =>
    timed({ program, args, directory: "." });
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
      "`qvs` renders each time, without its cache. It also compares the objects with the schemas of their kinds, and renders each chart twice to find random values.",
      "Ratios are those to `helm template` and `kustomize build`.",
    ],
    rows,
    ratio: "cpuMs",
  };
}

interface Programs {
  readonly helm: string;
  readonly kustomize: string;
}

async function measure(
  repository: RenderedRepository,
  programs: Programs,
  count: number,
  rounds: number,
): Promise<readonly Row[]> {
  const { directory, chart, overlay, configs } = repository;
  const compile = (config: string) =>
    qvs(directory, "compile", "--no-cache", "--quiet", "--config", config);
  const template = ["template", "shop", chart, "--set-json", "replicas=3"];
  const commands = {
    helm: { program: programs.helm, args: template, directory },
    qvsChart: compile(configs.chart),
    kustomize: { program: programs.kustomize, args: ["build", overlay], directory },
    qvsOverlay: compile(configs.overlay),
  };
  await requireSameResult(commands.helm, commands.qvsChart);
  await requireSameResult(commands.kustomize, commands.qvsOverlay);
  const costs = await inTurn(rounds, {
    helm: () => costOf(commands.helm),
    qvsChart: () => costOf(commands.qvsChart),
    kustomize: () => costOf(commands.kustomize),
    qvsOverlay: () => costOf(commands.qvsOverlay),
  });
  return [
    { subject: `chart of ${count}: helm template`, costs: costs.helm },
    { subject: `chart of ${count}: qvs compile`, costs: costs.qvsChart, against: costs.helm },
    { subject: `overlay of ${count}: kustomize build`, costs: costs.kustomize },
    {
      subject: `overlay of ${count}: qvs compile`,
      costs: costs.qvsOverlay,
      against: costs.kustomize,
    },
  ];
}

async function requireSameResult(other: Command, own: Command): Promise<void> {
  const [expected, found] = [objectsOf(await timed(other)), objectsOf(await timed(own))];
  if (expected.size > 0 && isDeepStrictEqual(expected, found)) return;
  throw new Error(`${[other.program, ...other.args].join(" ")} renders other objects than qvs`);
}

/** Returns the objects of an output by name. */
function objectsOf({ stdout }: { readonly stdout: string }): ReadonlyMap<string, Json> {
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Json);
  return new Map(objects.map((each) => [textAt(each, "metadata", "name") ?? "", each]));
}

async function costOf(command: Command): Promise<Cost> {
  return (await timed(command)).cost;
}
