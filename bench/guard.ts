import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userError } from "../src/model/problems/errors.ts";
import { type RunningCluster, startCluster } from "../test/support/cluster/start.ts";
import { count, params, prepareNamespaces, repository } from "./deploy.ts";
import { inTurn } from "./in-turn.ts";
import { qvsOf, shippedProgram } from "./qvs.ts";
import { type Row, ratios, type Section } from "./section.ts";
import { median } from "./statistics.ts";
import { type Cost, timed } from "./timed.ts";

/** The largest accepted ratio of CPU times between this tree and its parent. */
export const maxRatio = 1.08;

/**
 * Compares `dist` of this tree with `dist` of another commit, in pairs of whole processes.
 * CPU time decides, because other work on the machine changes it least.
 */
export async function compareWithParent(rounds: number, ref: string): Promise<Section> {
  const parent = shortCommit(ref);
  const directory = mkdtempSync(join(tmpdir(), "qvs-guard-"));
  const cluster = await startCluster({ auditLog: false });
  process.env.QVS_CACHE = join(directory, "cache");
  try {
    const installed = {
      current: { path: shippedProgram, directory: copyRepository(directory, "current") },
      parent: {
        path: extractProgram(directory, ref),
        directory: copyRepository(directory, "parent"),
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
    const ratio = median(ratios(costs, against, "cpuMs"));
    return ratio > maxRatio ? [`${subject}: ${ratio.toFixed(2)}`] : [];
  });
}

interface Comparison {
  readonly cluster: RunningCluster;
  readonly installed: Readonly<Record<Program, InstalledProgram>>;
}

interface InstalledProgram {
  readonly path: string;
  /** The program's own copy of the repository. */
  readonly directory: string;
}

const programs = ["current", "parent"] as const;

type Program = (typeof programs)[number];

type CommandName = keyof typeof commands;

/** The commands of a round, in this order: a deployment changes the input of the next command. */
const commands = {
  help: () => ["help"],
  compile: ({ namespace }: Place) => ["compile", "--no-cache", ...params(namespace, "first")],
  "deploy, new": (place: Place) => deploy(place, "first"),
  "diff, unchanged": (place: Place) => diff(place, "first"),
  "diff, all changed": (place: Place) => diff(place, "second"),
  "deploy, unchanged": (place: Place) => deploy(place, "first"),
  "deploy, all changed": (place: Place) => deploy(place, "second"),
  drift: (place: Place) => ["drift", ...target(place)],
} as const satisfies Readonly<Record<string, (place: Place) => readonly string[]>>;

interface Place {
  readonly namespace: string;
  readonly kubeconfig: string;
}

function deploy(place: Place, value: string): readonly string[] {
  return ["deploy", ...target(place), ...params(place.namespace, value)];
}

function diff(place: Place, value: string): readonly string[] {
  return ["diff", "--no-cache", ...target(place), ...params(place.namespace, value)];
}

function target({ kubeconfig, namespace }: Place): readonly string[] {
  return ["--kubeconfig", kubeconfig, "--namespace", namespace];
}

/** Runs each command with both programs. The program that runs first changes with each round. */
async function compareCommands(comparison: Comparison, rounds: number): Promise<readonly Row[]> {
  const { cluster } = comparison;
  let round = -1;
  const names = Object.keys(commands) as CommandName[];
  const prepare = () => prepareNamespaces(cluster, programs, ++round);
  const costs = { current: new Map<CommandName, Cost[]>(), parent: new Map<CommandName, Cost[]>() };
  const run = (name: CommandName, turn: 0 | 1) => async () => {
    const program = programs[(round + turn) % 2 === 0 ? 0 : 1];
    const cost = await runCommand(comparison, name, program, `${program}-${round}`);
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
  { cluster, installed }: Comparison,
  name: CommandName,
  program: Program,
  namespace: string,
): Promise<Cost> {
  const args = commands[name]({ namespace, kubeconfig: cluster.kubeconfig });
  const { path, directory } = installed[program];
  const { cost } = await timed(qvsOf(path, directory, ...args));
  return cost;
}

/** Returns a copy of the repository for one program, so that the programs don't share files. */
function copyRepository(directory: string, program: Program): string {
  const copy = join(directory, program);
  cpSync(repository, copy, { recursive: true });
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

/** Returns the short id of a commit. Throws a UserError if it doesn't exist. */
function shortCommit(ref: string): string {
  const args = ["rev-parse", "--short", "--verify", "--quiet", `${ref}^{commit}`];
  try {
    return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    throw userError(
      "invalid-input",
      `There is no commit ${ref}`,
      "Name a commit of this repository",
    );
  }
}
