import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runKubectl } from "../test/support/cluster/kubectl.ts";
import { type RunningCluster, startCluster } from "../test/support/cluster/start.ts";
import { inTurn } from "./in-turn.ts";
import { qvsOf, shippedProgram } from "./qvs.ts";
import type { Row, Section } from "./section.ts";
import { median } from "./statistics.ts";
import { type Cost, timed } from "./timed.ts";

const count = 300;

/** The largest accepted ratio of CPU times between this tree and its parent. */
export const maxRatio = 1.08;

/**
 * Compares `dist` of this tree with `dist` of another commit, in pairs of whole processes.
 * CPU time decides, because other work on the machine changes it least.
 */
export async function compareWithParent(rounds: number, ref: string): Promise<Section> {
  const parent = git("rev-parse", "--short", ref);
  const directory = mkdtempSync(join(tmpdir(), "qvs-guard-"));
  const cluster = await startCluster({ auditLog: false });
  process.env.QVS_CACHE = join(directory, "cache");
  try {
    const installed = {
      current: { path: shippedProgram, repository: copyAdapters(directory, "current") },
      parent: {
        path: extractProgram(directory, ref),
        repository: copyAdapters(directory, "parent"),
      },
    };
    return {
      title: `Against ${parent}`,
      command: `npm run bench -- guard ${ref}`,
      rounds,
      versions: [`parent ${parent}`],
      ratio: "cpuMs",
      notes: [
        `Each command runs with this tree's \`dist\` and with that of ${parent}, one after the other.`,
        `\`compile\`, \`deploy\`, \`diff\` and \`drift\` handle ${count} ConfigMaps; each program has a namespace of its own.`,
        "Ratios are those of the CPU time (user and system) to the parent's.",
      ],
      rows: await compareCommands({ cluster, installed }, rounds),
    };
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Returns the rows whose median ratio is above `maxRatio`. */
export function slowerRows({ rows }: Section): readonly string[] {
  return rows.flatMap(({ subject, costs, against }) => {
    if (against === undefined) return [];
    const ratios = costs.map(({ cpuMs }, round) => cpuMs / (against[round]?.cpuMs ?? Number.NaN));
    const ratio = median(ratios);
    return ratio > maxRatio ? [`${subject}: ${ratio.toFixed(2)}`] : [];
  });
}

interface Workplace {
  readonly cluster: RunningCluster;
  readonly installed: Readonly<Record<Program, InstalledProgram>>;
}

interface InstalledProgram {
  readonly path: string;
  /** A directory with a config. */
  readonly repository: string;
}

const programs = ["current", "parent"] as const;

type Program = (typeof programs)[number];

type Command = keyof typeof commands;

/** The commands of a round, in their order: a deployment changes what the next command finds. */
const commands = {
  help: () => ["help"],
  compile: (place: Place) => ["compile", "--no-cache", ...params(place, "first")],
  "deploy, new": (place: Place) => ["deploy", ...target(place), ...params(place, "first")],
  "diff, unchanged": (place: Place) => diff(place, "first"),
  "diff, all changed": (place: Place) => diff(place, "second"),
  "deploy, unchanged": (place: Place) => ["deploy", ...target(place), ...params(place, "first")],
  "deploy, all changed": (place: Place) => ["deploy", ...target(place), ...params(place, "second")],
  drift: (place: Place) => ["drift", ...target(place)],
} as const satisfies Readonly<Record<string, (place: Place) => readonly string[]>>;

interface Place {
  readonly namespace: string;
  readonly kubeconfig: string;
}

function diff(place: Place, value: string): readonly string[] {
  return ["diff", "--no-cache", ...target(place), ...params(place, value)];
}

function target({ kubeconfig, namespace }: Place): readonly string[] {
  return ["--kubeconfig", kubeconfig, "--namespace", namespace];
}

function params({ namespace }: Place, value: string): readonly string[] {
  const config = ["--config", ".valuestream/qvs.yaml"];
  const given = Object.entries({ count, namespace, value });
  return [...config, ...given.flatMap(([name, text]) => ["--param", `${name}=${text}`])];
}

/** Runs each command with both programs. The program that runs first changes with each round. */
async function compareCommands(workplace: Workplace, rounds: number): Promise<readonly Row[]> {
  const { cluster } = workplace;
  let round = -1;
  const names = Object.keys(commands) as Command[];
  const prepare = async (): Promise<Cost> => {
    round += 1;
    for (const program of programs) {
      await runKubectl(["create", "namespace", `${program}-${round}`], {
        ...cluster,
        user: "admin",
      });
    }
    return { wallMs: 0, cpuMs: 0 };
  };
  const costs = { current: new Map<Command, Cost[]>(), parent: new Map<Command, Cost[]>() };
  const run = (name: Command, turn: 0 | 1) => async () => {
    const program = programs[(round + turn) % 2 === 0 ? 0 : 1];
    const cost = await runCommand(workplace, name, program, `${program}-${round}`);
    if (round > 0) costs[program].set(name, [...(costs[program].get(name) ?? []), cost]);
    return cost;
  };
  const subjects = names.flatMap((name) => [
    [`${name}, first`, run(name, 0)] as const,
    [`${name}, second`, run(name, 1)] as const,
  ]);
  await inTurn<string>(rounds, { prepare, ...Object.fromEntries(subjects) });
  return names.flatMap((name) => {
    const [current = [], parent = []] = programs.map((program) => costs[program].get(name));
    return [
      { subject: `${name}: parent`, costs: parent },
      { subject: name, costs: current, against: parent },
    ];
  });
}

async function runCommand(
  { cluster, installed }: Workplace,
  name: Command,
  program: Program,
  namespace: string,
): Promise<Cost> {
  const args = commands[name]({ namespace, kubeconfig: cluster.kubeconfig });
  const { path, repository } = installed[program];
  const { cost } = await timed(qvsOf(path, repository, ...args));
  return cost;
}

/** Returns a copy of the adapters for one program, so that neither finds files of the other. */
function copyAdapters(directory: string, program: Program): string {
  const copy = join(directory, program);
  cpSync(join(import.meta.dirname, "config-maps"), copy, { recursive: true });
  return copy;
}

/** Writes `dist` of a commit into a directory. Returns the path of its program. */
function extractProgram(directory: string, ref: string): string {
  const to = join(directory, "program");
  mkdirSync(to);
  const archive = execFileSync("git", ["archive", ref, "dist"], {
    cwd: join(import.meta.dirname, ".."),
    maxBuffer: 2 ** 30,
  });
  execFileSync("tar", ["-x"], { cwd: to, input: archive });
  return join(to, "dist/cli.js");
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
}
