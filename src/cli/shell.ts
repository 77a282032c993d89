import { hidingStream } from "../redaction/hiding-stream.ts";
import type { SentSecrets } from "../redaction/sent-secrets.ts";
import type { TextStream } from "../redaction/shown.ts";

/** The process of a command: its arguments and its output streams. `process` is one. */
export interface Shell {
  /** As in `process`: the first two are the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where answers to questions come from; without it, or where it is no terminal, nothing is asked. */
  readonly stdin?: NodeJS.ReadStream;
  /** The result and nothing else. */
  readonly stdout: Output;
  /** Progress, warnings and problems. */
  readonly stderr: Output;
  cwd(): string;
  /** Also for the programs that are started, such as a kubeconfig's credential plugins. */
  chdir(directory: string): void;
}

export type Output = TextStream;

/** Lines are broken on a terminal only: programs, and searches in a log, need each line in one piece. */
const widest = 100;

/** How wide text on a terminal may be, in columns. A terminal that does not know its own width says 0. */
export function widthOf(stream: Output): number {
  return Math.min(stream.columns || 80, widest);
}

/** Returns the same process, on whose streams no credential of this run is written. */
export function hidingShell(shell: Shell, sent: SentSecrets): Shell {
  const { argv, env, stdin, stdout, stderr } = shell;
  return {
    argv,
    env,
    ...(stdin === undefined ? {} : { stdin }),
    stdout: hidingStream(stdout, sent),
    stderr: hidingStream(stderr, sent),
    cwd: () => shell.cwd(),
    chdir: (directory) => shell.chdir(directory),
  };
}
