import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userError } from "../src/model/problems/errors.ts";
import { type RunningCluster, startCluster } from "../test/support/cluster/start.ts";
import { count, params, prepareNamespaces, repository } from "./deploy.ts";
import { inTurn } from "./in-turn.ts";
import { prepareMany } from "./many/repository.ts";
import { qvsOf, shippedProgram } from "./qvs.ts";
import { type Row, ratios, type Section } from "./section.ts";
import { median } from "./statistics.ts";
import { type Cost, timed } from "./timed.ts";

/** The largest accepted ratio of CPU times between this tree and the accepted commit. */
export const maxRatio = 1.08;

/** Smaller differences of the CPU time are noise, in milliseconds. */
export const minDifferenceMs = 10;

/** The commit whose CPU times were accepted last, and the reason. `guard --accept` writes it. */
const acceptedFile = join(import.meta.dirname, "accepted.json");

/** Returns the commit to compare with by default. */
export function acceptedCommit(): string {
  const { commit } = JSON.parse(readFileSync(acceptedFile, "utf8")) as { readonly commit: string };
  return commit;
}

/** Records the current commit as the new standard. Throws a UserError if there is no commit. */
export function acceptCurrentCommit(reason: string): void {
  const commit = fullCommit("HEAD");
  writeFileSync(acceptedFile, `${JSON.stringify({ commit, reason }, undefined, 2)}\n`);
}

/**
 * Compares `dist` of this tree with `dist` of another commit, in pairs of whole processes.
 * CPU time decides, because other work on the machine changes it least. While a command is slower,
 * more rounds are added, up to four times as many.
 */
export async function compareWithCommit(rounds: number, ref: string): Promise<Section> {
  const parent = fullCommit(ref).slice(0, 8);
  const directory = mkdtempSync(join(tmpdir(), "qvs-guard-"));
  const many = prepareMany("cue", 4);
  const cluster = await startCluster({ auditLog: false });
  process.env.QVS_CACHE = join(directory, "cache");
  // The other commit's `dist` has no native engine, even where this tree has built one.
  process.env.QVS_ENGINE = "wasm";
  try {
    const installed = {
      current: { path: shippedProgram, directory: copyRepository(directory, "current") },
      parent: {
        path: extractProgram(directory, ref),
        directory: copyRepository(directory, "parent"),
      },
    };
    const comparison = { cluster, installed, many: many.directory };
    const measure = async (rounds: number, firstRound: number): Promise<Section> => ({
      title: `Against ${parent}`,
      command: `npm run bench -- guard ${parent}`,
      rounds,
      versions: [`commit ${parent}`],
      ratio: "cpuMs",
      notes: [
        `Each command runs with this tree's \`dist\` and with that of ${parent}, one after the other.`,
        `\`compile\`, \`deploy\`, \`diff\` and \`drift\` handle ${count} ConfigMaps; each program has a namespace of its own.`,
        `\`compile --all\` compiles ${many.names.length} deployments.`,
        `Ratios are those of the CPU time (user and system) to that of ${parent}.`,
      ],
      rows: await compareCommands(comparison, rounds, firstRound),
    });
    let section = await measure(rounds, 0);
    for (let series = 1; series <= 3 && slowerRows(section).length > 0; series += 1) {
      process.stderr.write(`slower: ${slowerRows(section).join("; ")}; measuring again\n`);
      section = withMoreRounds(section, await measure(rounds, series * (rounds + 1)));
    }
    return section;
  } finally {
    await cluster.stop();
    many.remove();
    rmSync(directory, { recursive: true });
  }
}

/** Returns a section with the rounds of both. Their rows have the same subjects. */
export function withMoreRounds(section: Section, more: Section): Section {
  return {
    ...section,
    rounds: section.rounds + more.rounds,
    rows: section.rows.map((row, index) => {
      const { costs = [], against = [] } = more.rows[index] ?? {};
      return {
        ...row,
        costs: [...row.costs, ...costs],
        ...(row.against && { against: [...row.against, ...against] }),
      };
    }),
  };
}

/**
 * Returns a text for each row whose median ratio is above `maxRatio`, unless the difference is
 * below `minDifferenceMs`.
 */
export function slowerRows({ rows }: Pick<Section, "rows">): readonly string[] {
  return rows.flatMap(({ subject, costs, against }) => {
    if (against === undefined) return [];
    const ratio = median(ratios(costs, against, "cpuMs"));
    const difference = median(
      costs.map(({ cpuMs }, round) => cpuMs - (against[round]?.cpuMs ?? 0)),
    );
    const slower = ratio > maxRatio && difference >= minDifferenceMs;
    return slower ? [`${subject}: ${ratio.toFixed(2)}`] : [];
  });
}

interface Comparison {
  readonly cluster: RunningCluster;
  /** The repository of `compile --all`. */
  readonly many: string;
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
  "compile --all": () => ["compile", "--all", "--quiet", "--no-cache"],
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
async function compareCommands(
  comparison: Comparison,
  rounds: number,
  firstRound: number,
): Promise<readonly Row[]> {
  const { cluster } = comparison;
  let round = firstRound - 1;
  const names = Object.keys(commands) as CommandName[];
  const prepare = () => prepareNamespaces(cluster, programs, ++round);
  const costs = { current: new Map<CommandName, Cost[]>(), parent: new Map<CommandName, Cost[]>() };
  const run = (name: CommandName, turn: 0 | 1) => async () => {
    const program = programs[(round + turn) % 2 === 0 ? 0 : 1];
    const cost = await runCommand(comparison, name, program, `${program}-${round}`);
    if (round > firstRound) costs[program].set(name, [...(costs[program].get(name) ?? []), cost]);
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
  { cluster, installed, many }: Comparison,
  name: CommandName,
  program: Program,
  namespace: string,
): Promise<Cost> {
  const args = commands[name]({ namespace, kubeconfig: cluster.kubeconfig });
  const { path } = installed[program];
  const directory = name === "compile --all" ? many : installed[program].directory;
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

/** Returns the whole id of a commit. Throws a UserError if it doesn't exist. */
function fullCommit(ref: string): string {
  const args = ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`];
  try {
    return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    throw userError(
      "invalid-input",
      `There is no commit ${ref}`,
      "Name a commit of this repository, or fetch the whole history: git fetch --unshallow",
    );
  }
}
