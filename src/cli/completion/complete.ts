import type { Command, Option } from "commander";
import { kindNames } from "../../inputs/kind-selector.ts";

/** The candidates for a word of the command line. With `files` the shell completes file names. */
export type Candidates = "files" | readonly CompletionCandidate[];

interface CompletionCandidate {
  readonly text: string;
  readonly description: string;
}

/** Values from the repository, the kubeconfig and the cluster. */
export interface CompletionSources {
  deployments(): Promise<readonly string[]>;
  contexts(): Promise<readonly string[]>;
  /** Returns the names of deployments that have releases in the cluster. */
  recorded(): Promise<readonly string[]>;
  /**
   * Returns the releases of the deployment that the line names, or of the only recorded one, newest
   * first.
   */
  releases(): Promise<readonly KnownRelease[]>;
}

interface KnownRelease {
  readonly revision: number;
  readonly status: string;
}

/** Completes the last of `words`. Doesn't validate the words before it. */
export async function complete(
  program: Command,
  words: readonly string[],
  known: CompletionSources,
): Promise<Candidates> {
  const { command, positions, pending } = readWords(program, words.slice(0, -1));
  const current = words.at(-1) ?? "";
  if (pending !== undefined)
    return matchPrefix(await optionValues(pending, command, known), current);
  const [, flag = "", value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (value !== undefined) {
    const option = findOption(command, flag) ?? findOption(program, flag);
    const values = option === undefined ? [] : await optionValues(option, command, known);
    if (values === "files") return values;
    const whole = values.map((each) => ({ ...each, text: `${flag}=${each.text}` }));
    return matchPrefix(whole, current);
  }
  if (current.startsWith("-")) return matchPrefix(flagCandidates(command, program), current);
  return matchPrefix(await argumentCandidates(command, program, { positions, known }), current);
}

interface ReadWords {
  readonly command: Command;
  /** The number of arguments after the command so far. */
  readonly positions: number;
  /** The option that expects the last word as its value. */
  readonly pending: Option | undefined;
}

function readWords(program: Command, words: readonly string[]): ReadWords {
  let command = program;
  let positions = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith("-")) {
      const option = findOption(command, word) ?? findOption(program, word);
      pending = option?.required ? option : undefined;
    } else {
      const inner = positions === 0 && command.commands.find((each) => each.name() === word);
      if (inner) command = inner;
      else if (command !== program) positions += 1;
    }
  }
  return { command, positions, pending };
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ short, long }) => word === short || word === long);
}

async function optionValues(
  option: Option,
  command: Command,
  known: CompletionSources,
): Promise<Candidates> {
  if (option.argChoices !== undefined) return option.argChoices.map((text) => plain(text));
  if (/<(?:file|folder|dir|manifests)>/.test(option.flags)) return "files";
  switch (option.attributeName()) {
    case "deployment":
      return nameCandidates(await acceptedDeployments(command, known));
    case "kind":
      return nameCandidates(kindNames);
    case "context":
      return nameCandidates(await known.contexts());
    case "to":
      return [
        plain("previous", "the newest successful release with other objects"),
        ...releaseCandidates(await known.releases(), ["succeeded"]),
      ];
    default:
      return [];
  }
}

/**
 * Returns the deployments that a command accepts. A command that needs no config also accepts
 * recorded deployments of other repositories.
 */
async function acceptedDeployments(
  command: Command,
  known: CompletionSources,
): Promise<readonly string[]> {
  const here = await known.deployments();
  const has = (flag: string) => command.options.some(({ long }) => long === flag);
  if (has("--params") || !has("--namespace")) return here;
  return [...new Set([...here, ...(await known.recorded())])];
}

function releaseCandidates(
  releases: readonly KnownRelease[],
  statuses: readonly string[] = releases.map(({ status }) => status),
): readonly CompletionCandidate[] {
  return releases
    .filter(({ status }) => statuses.includes(status))
    .map(({ revision, status }) => plain(`${revision}`, status));
}

/**
 * Returns candidates from the names that a shell takes without quotes.
 * The other names are left out. A completion becomes part of a command line, and a cloned
 * repository must not insert `$(…)` or a second line into it.
 */
function nameCandidates(names: readonly string[]): readonly CompletionCandidate[] {
  return names
    .filter((name) => /^[\p{L}\p{N}_.@/][\p{L}\p{N}_.@/:,=+%-]*$/u.test(name))
    .map((name) => plain(name));
}

function flagCandidates(command: Command, program: Command): readonly CompletionCandidate[] {
  const options = command === program ? program.options : [...command.options, ...program.options];
  const help = plain("--help", "show the flags of this command");
  const own = options
    .filter(({ hidden, long }) => !hidden && (command === program || long !== "--version"))
    .map(({ short, long, description }) => plain(long ?? short ?? "", description));
  return [...own, help];
}

async function argumentCandidates(
  command: Command,
  program: Command,
  { positions, known }: { readonly positions: number; readonly known: CompletionSources },
): Promise<Candidates> {
  if (command === program) return commandCandidates(program);
  const argument = command.registeredArguments[positions];
  if (argument !== undefined && ["release", "other"].includes(argument.name())) {
    return releaseCandidates(await known.releases());
  }
  if (argument?.name() === "deployment")
    return nameCandidates(await acceptedDeployments(command, known));
  if (argument?.name() === "object") return nameCandidates(kindNames.map((kind) => `${kind}/`));
  if (positions > 0) return [];
  if (command.name() === "help") return commandCandidates(program);
  if (command.commands.length > 0) return commandCandidates(command);
  if (argument?.name() === "kind") return nameCandidates(kindNames);
  return (argument?.argChoices ?? []).map((text) => plain(text));
}

function commandCandidates(program: Command): readonly CompletionCandidate[] {
  return program.commands
    .filter((command) => !command.name().startsWith("_"))
    .map((command) => plain(command.name(), command.description()));
}

function plain(text: string, description = ""): CompletionCandidate {
  return { text, description };
}

function matchPrefix(candidates: Candidates, current: string): Candidates {
  if (candidates === "files") return candidates;
  return candidates.filter(({ text }) => text.startsWith(current));
}
