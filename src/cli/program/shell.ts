import { type SentSecrets, scrubbedStream } from "../../redaction/sent-secrets.ts";
import type { TextStream } from "../../redaction/shown.ts";

/** The process of a command, with its arguments and output streams. `process` has this type. */
export interface Shell {
  /** The arguments as in `process`. The first two are the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The source of answers. If it is missing or isn't a terminal, qvs asks no questions. */
  readonly stdin?: NodeJS.ReadStream;
  /** The stream for the result only. */
  readonly stdout: Output;
  /** The stream for progress, warnings and errors. */
  readonly stderr: Output;
  cwd(): string;
  /**
   * Changes the directory, also for programs that qvs starts, such as a kubeconfig's credential
   * plugins.
   */
  chdir(directory: string): void;
}

export type Output = TextStream;

/**
 * The widest text on a terminal. Only terminal output is wrapped: programs and log searches need
 * whole lines.
 */
const widest = 100;

/**
 * Returns the width of text on a terminal, in columns. A terminal that doesn't know its width
 * reports 0.
 */
export function outputColumns(stream: Output): number {
  return Math.min(stream.columns || 80, widest);
}

/** Returns a shell that hides this run's credentials in its output. */
export function hidingShell(shell: Shell, sent: SentSecrets): Shell {
  const { argv, env, stdin, stdout, stderr } = shell;
  return {
    argv,
    env,
    ...(stdin === undefined ? {} : { stdin }),
    stdout: scrubbedStream(stdout, sent),
    stderr: scrubbedStream(stderr, sent),
    cwd: () => shell.cwd(),
    chdir: (directory) => shell.chdir(directory),
  };
}

/** The time in milliseconds for a clean end, which reports more than an interruption. */
const defaultGraceMs = 1_000;

/**
 * Returns the result of the work, or rejects soon after the signal aborts.
 * A run without changes doesn't wait for a server that doesn't answer. A run with changes always
 * finishes cleanly, however long that takes.
 */
export async function unlessInterrupted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  hasChanged: () => boolean,
  graceMs = defaultGraceMs,
): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    timer = setTimeout(() => hasChanged() || reject(signal.reason), graceMs);
  };
  if (signal.aborted) giveUp();
  else signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    clearTimeout(timer);
  }
}
