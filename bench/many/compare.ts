import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../src/model/json.ts";
import { buildTools } from "../../test/support/cluster/build.ts";
import { inTurn } from "../in-turn.ts";
import { qvs } from "../qvs.ts";
import type { Section } from "../section.ts";
import { type Cost, timed } from "../timed.ts";
import { withoutProvider } from "../without-provider.ts";
import { configsEach, type ManyRepository, prepareMany } from "./repository.ts";

const applications = 20;
const configs = applications * configsEach;

/**
 * Compares one `qvs compile --all` of all configs of a repository with one native `cue export` per
 * config.
 */
export async function compareMany(rounds: number): Promise<Section> {
  const cue = (await buildTools("cue")).path("cue");
  const repository = prepareMany(cue, applications);
  try {
    await requireSameResults(repository);
    const rows = await measure(repository, rounds);
    const version = await timed({ program: cue, args: ["version"], directory: "." });
    return {
      title: "Compiling many",
      command: "npm run bench -- many",
      rounds,
      versions: [version.stdout.split("\n")[0] ?? ""],
      notes: [
        `${configs} configs, ${configsEach} for each of ${applications} adapters, which compose a Deployment, a Service, an Ingress, a ConfigMap and a HorizontalPodAutoscaler from 30 params.`,
        `\`qvs compile --all\` is one process, \`cue export\` one for each config, one after the other. Before timing, the results of both are compared for every config: they are equal.`,
        "Cold finds no cache. With one adapter changed, the ten configs that use it are compiled and all others are found in the cache. Unchanged, all are found, and no engine starts.",
        "Memory is the peak of the largest process; that of `qvs` includes all its workers.",
        "Ratios are those to `cue export`.",
      ],
      rows,
    };
  } finally {
    repository.remove();
  }
}

async function measure(repository: ManyRepository, rounds: number) {
  let round = 0;
  const compileAll = async (...flags: readonly string[]) =>
    (await timed(qvsWithCache(repository, ...flags))).cost;
  const costs = await inTurn(rounds, {
    cue: () => exportAll(repository),
    cold: async () => {
      repository.forgetCompilations();
      return compileAll();
    },
    changed: () => {
      repository.changeOneAdapter(`round ${++round}`);
      return compileAll();
    },
    unchanged: () => compileAll(),
    kept: async () => (await timed(qvsAlone(repository))).cost,
    single: async () => (await timed(qvsAlone(repository, "--no-cache"))).cost,
  });
  return [
    { subject: `${configs} × cue export`, costs: costs.cue },
    { subject: `qvs compile --all, cold`, costs: costs.cold, against: costs.cue },
    { subject: `the same, one adapter changed`, costs: costs.changed, against: costs.cue },
    { subject: `the same, unchanged`, costs: costs.unchanged, against: costs.cue },
    { subject: `one of them alone, cold`, costs: costs.single },
    { subject: `one of them alone, found in the cache`, costs: costs.kept },
    { subject: `cold, each config after the first`, costs: each(costs.cold, costs.single) },
  ];
}

/** Returns the cost of one more config when the program and its engine already run. */
function each(all: readonly Cost[], single: readonly Cost[]): readonly Cost[] {
  return all.map(({ wallMs, cpuMs }, round) => ({
    wallMs: (wallMs - (single[round]?.wallMs ?? 0)) / (configs - 1),
    cpuMs: (cpuMs - (single[round]?.cpuMs ?? 0)) / (configs - 1),
  }));
}

function qvsWithCache(repository: ManyRepository, ...flags: readonly string[]) {
  const { program, args, directory } = qvs(
    repository.directory,
    ...["compile", "--all", "--quiet", "--format", "json", ...flags],
  );
  return { program: "env", args: [`QVS_CACHE=${repository.cache}`, program, ...args], directory };
}

function qvsAlone(repository: ManyRepository, ...flags: readonly string[]) {
  const [first = ""] = repository.names;
  const { program, args, directory } = qvs(repository.directory, "compile", "-d", first, ...flags);
  return { program: "env", args: [`QVS_CACHE=${repository.cache}`, program, ...args], directory };
}

async function exportAll({ cueExports }: ManyRepository): Promise<Cost> {
  let sum: Cost = { wallMs: 0, cpuMs: 0, peakMb: 0 };
  for (const command of cueExports) {
    const { cost } = await timed(command);
    sum = {
      wallMs: sum.wallMs + cost.wallMs,
      cpuMs: sum.cpuMs + cost.cpuMs,
      peakMb: Math.max(sum.peakMb ?? 0, cost.peakMb ?? 0),
    };
  }
  return sum;
}

/**
 * Throws if the results differ: then the programs do different work, and their times can't be
 * compared.
 */
async function requireSameResults(repository: ManyRepository): Promise<void> {
  const { stdout } = await timed(qvsWithCache(repository, "--no-cache"));
  const ours = JSON.parse(stdout) as Record<string, { readonly stages: JsonObject }>;
  for (const [index, command] of repository.cueExports.entries()) {
    const name = repository.names[index] ?? "";
    const theirs = JSON.parse((await timed(command)).stdout) as JsonObject;
    const same = Object.entries(theirs).every(([stage, resources]) =>
      isDeepStrictEqual(ours[name]?.stages[stage], withoutProvider(resources)),
    );
    if (!same) throw new Error(`qvs compile and cue export have different results for ${name}`);
  }
}
