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
