import { ask, type TerminalStreams } from "../../io/terminal/ask.ts";
import { dnsLabelRule, isDnsLabel, toDnsLabel } from "../../model/cluster/object-names.ts";
import { userError } from "../../model/problems/errors.ts";
import type { Shell } from "../program/shell.ts";

export interface Answers {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly port: string;
}

export const defaults = { image: "nginxinc/nginx-unprivileged:1.29", port: "8080" } as const;

interface InitQuestion {
  readonly flag: keyof Answers;
  readonly message: string;
  proposed(answers: Answers, folder: string): string;
  check(answer: string): string | undefined;
}

const questions = {
  name: {
    flag: "name",
    message: "What is the name of the application?",
    proposed: (_, folder) => (isDnsLabel(toDnsLabel(folder)) ? toDnsLabel(folder) : "app"),
    check: wrongName,
  },
  namespace: {
    flag: "namespace",
    message: "Which namespace does production run in? Staging uses the same name with -staging",
    proposed: ({ name }) => name,
    check: wrongNamespace,
  },
  manifestNamespace: {
    flag: "namespace",
    message: "Which namespace were the manifests applied to?",
    proposed: () => "default",
    check: wrongNamespace,
  },
  image: {
    flag: "image",
    message: "Which image does it run?",
    proposed: () => defaults.image,
    check: (answer) =>
      /^[\w][\w.\-/:@]*$/.test(answer)
        ? undefined
        : "Write an image as in a Pod, for example ghcr.io/acme/shop:1.0",
  },
  port: {
    flag: "port",
    message: "Which port does it listen on?",
    proposed: () => defaults.port,
    check: (answer) =>
      /^[1-9]\d{0,4}$/.test(answer) && Number(answer) < 65_536
        ? undefined
        : "Write a number from 1 to 65535",
  },
} as const satisfies Record<string, InitQuestion>;

export interface AnswerContext {
  readonly flags: Partial<Answers> & { readonly yes?: boolean };
  readonly shell: Shell;
  readonly signal: AbortSignal;
  /** The name of the repository's directory. */
  readonly folder: string;
}

/**
 * Returns the values from the flags, from questions on a terminal, or from the defaults. Returns
 * undefined if the user interrupts a question.
 */
export async function collectAnswers(
  keys: readonly (keyof typeof questions)[],
  { flags, shell, signal, folder }: AnswerContext,
): Promise<Answers | undefined> {
  let answers: Answers = { name: "", namespace: "", image: "", port: "" };
  const terminal = openTerminal({ flags, shell, signal });
  for (const { flag, message, proposed, check } of keys.map(
    (key): InitQuestion => questions[key],
  )) {
    const given = flags[flag];
    const wrong = given === undefined ? undefined : check(given);
    if (wrong !== undefined) {
      throw userError("invalid-input", `"${given}" isn't a valid value of --${flag}`, wrong);
    }
    const fallback = proposed(answers, folder);
    const answered =
      given ??
      (terminal === undefined
        ? fallback
        : await ask({ message, proposed: fallback, check }, terminal));
    if (answered === undefined) return undefined;
    answers = { ...answers, [flag]: answered };
  }
  return answers;
}

/**
 * Returns the answer to whether the files of `--from` stay as they are; undefined if the user
 * interrupts the question. Without a terminal, they are converted.
 */
export async function askToKeep(context: AnswerContext): Promise<boolean | undefined> {
  const terminal = openTerminal(context);
  if (terminal === undefined) return false;
  const message =
    "Keep these files as they are? Otherwise, qvs copies them to an adapter with parameters";
  const check = (answer: string) => (/^(yes|no)$/.test(answer) ? undefined : "Write yes or no");
  const answer = await ask({ message, proposed: "yes", check }, terminal);
  return answer === undefined ? undefined : answer === "yes";
}

/** Returns the streams for questions; undefined without a terminal, or with `--yes`. */
function openTerminal({
  flags,
  shell: { stdin: input, stderr: output },
  signal,
}: Pick<AnswerContext, "flags" | "shell" | "signal">): TerminalStreams | undefined {
  return input?.isTTY && output.isTTY && flags.yes !== true
    ? { input, output: output as unknown as NodeJS.WriteStream, signal }
    : undefined;
}

/**
 * Checks the name. Deployments have the name with -production appended. The module's name, which
 * has the form of a host, contains it too.
 */
function wrongName(answer: string): string | undefined {
  if (!isDnsLabel(answer)) return dnsLabelRule;
  return answer.length > 40 ? "Use at most 40 characters" : undefined;
}

function wrongNamespace(answer: string): string | undefined {
  if (!isDnsLabel(answer)) return dnsLabelRule;
  return answer.length > 55 ? "Use at most 55 characters" : undefined;
}
