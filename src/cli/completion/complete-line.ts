import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { listRecorded } from "../../deploying/queries/list-recorded.ts";
import { minimalDeployment } from "../../deploying/queries/locate-deployment.ts";
import { readKubeconfig } from "../../io/kubernetes/kubeconfig/read-kubeconfig.ts";
import type { World } from "../../ports/world.ts";
import { joined } from "../../redaction/shown.ts";
import { plainLines, terminal } from "../../redaction/terminal.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import { type Candidates, type CompletionSources, complete } from "./complete.ts";

/**
 * The time in milliseconds that a Tab waits for the cluster. A slower cluster completes nothing.
 */
const patienceMs = 2_000;

/** The deployments that the line so far selects. */
interface LineSelection {
  readonly deployment: string | undefined;
  readonly namespace: string | undefined;
  readonly context: string | undefined;
}

/**
 * Lists the recorded deployments with one LIST of metadata. Returns none if the cluster doesn't
 * answer.
 */
async function listRecordedInTime(
  world: World,
  where: LineSelection,
): Promise<readonly RecordedDeployment[]> {
  const enough = new AbortController();
  const patience = sleep(patienceMs, [], { signal: enough.signal }).catch(() => []);
  const found = await Promise.race([read(world, where).catch(() => []), patience]);
  enough.abort();
  return found;
}

/**
 * Lists the recorded deployments. An entry of the repository's list provides the context and the
 * namespace.
 */
async function read(world: World, where: LineSelection): Promise<readonly RecordedDeployment[]> {
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  const entry = (listed.ok ? listed.value : []).find(({ name }) => name === where.deployment);
  const context = where.context ?? entry?.context;
  const namespace = where.namespace ?? entry?.namespace;
  const { cluster } = await world.target(minimalDeployment("", namespace ?? "", context));
  const { deployments } = await listRecorded(cluster, namespace);
  const named = deployments.filter(({ name }) => name === where.deployment);
  return where.deployment === undefined ? deployments : named;
}

export function defineComplete(command: Command, run: RunCommand, here: Shell): void {
  command.argument("[words...]").action((words: readonly string[]) => {
    for (const folder of namedDirectories(words)) here.chdir(folder);
    const kubeconfig = flagValue(words, "--kubeconfig");
    return run({ quiet: true, ...(kubeconfig ? { kubeconfig } : {}) }, async (world, shell) => {
      const { parent } = command;
      if (parent === null) throw new Error("only a part of qvs can complete its commands");
      write(await complete(parent, words, completionSources(world, shell, words)), shell);
      return exitCode.done;
    });
  });
}

function write(found: Candidates, { stdout }: Shell): void {
  if (found === "files") {
    stdout.write(terminal`:files\n`);
    return;
  }
  for (const { text, description } of found) {
    const line = joined([plainLines(text), plainLines(description)], "\t");
    stdout.write(terminal`${line}\n`);
  }
}

/** Returns the directories that -C names in the line so far. */
function namedDirectories(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const folder = words[index + 1];
    return word === "-C" && folder && index + 2 < words.length ? [folder] : [];
  });
}

/**
 * Returns the values to complete from. An unreadable source has none: the command itself reports
 * the error.
 */
function completionSources(
  world: World,
  shell: Shell,
  words: readonly string[],
): CompletionSources {
  const deployments = () =>
    orNone(async () => {
      const all = await listDeployments(world.source.tree, world.repositoryName);
      return all.ok ? all.value.map(({ name }) => name) : [];
    });
  return {
    deployments,
    contexts: () =>
      orNone(async () => {
        const given = flagValue(words, "--kubeconfig");
        const source = given === undefined ? undefined : { path: resolve(shell.cwd(), given) };
        const kubeconfig = await readKubeconfig(source, shell.env, shell.cwd());
        return kubeconfig?.contexts.map(({ name }) => name) ?? [];
      }),
    recorded: async () => {
      const all = await listRecordedInTime(world, {
        ...selectedDeployment(words),
        deployment: undefined,
      });
      return all.map(({ name }) => name);
    },
    releases: async () => {
      const where = selectedDeployment(words);
      const here = where.deployment === undefined ? await deployments() : [];
      const [name] = here.length === 1 ? here : [where.deployment];
      const [only, ...others] = await listRecordedInTime(world, { ...where, deployment: name });
      return only === undefined || others.length > 0 ? [] : only.statuses;
    },
  };
}

function selectedDeployment(words: readonly string[]) {
  return {
    deployment: flagValue(words, "--deployment", "-d"),
    namespace: flagValue(words, "--namespace", "-n"),
    context: flagValue(words, "--context"),
  };
}

/** Returns the value of a flag, without the word that the user is typing. */
function flagValue(words: readonly string[], ...flags: readonly string[]): string | undefined {
  const written = words.slice(0, -1);
  const found = written.flatMap((word, index) => {
    const [, flag = "", value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (flags.includes(flag)) return [value];
    return flags.includes(word) ? [written[index + 1]] : [];
  });
  return found.at(-1) || undefined;
}

async function orNone(read: () => Promise<readonly string[]>): Promise<readonly string[]> {
  return read().catch(() => []);
}
